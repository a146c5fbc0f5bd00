import { execFileSync } from 'node:child_process';

/** Builds the programs the end-to-end tests start, the appliance and the agent, once for the whole run; the hub if it changed. */
export default function setup(): void {
  for (const script of ['scripts/build.mjs', 'scripts/build-agent.mjs'])
    execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
}
