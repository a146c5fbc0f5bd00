import { type Agent, type AgentParts, startAgent } from './agent.ts';
import { type AgentIdentity, IdentityError, loadAgentIdentity } from './agent-identity.ts';
import { watchIdentity } from './identity-watch.ts';
import type { AgentOptions } from './options.ts';
import { quietLog } from './quiet-log.ts';
import { agentVersion } from './version.ts';

const FAULTS_MAX = 20;
const FAULTS_WITHIN_MS = 60_000;

/**
 * Runs the agent until SIGTERM or SIGINT, and resolves with the exit code: 0 stopped, 1 when the identity cannot be used, a
 * line on stderr for each thing that is wrong. An identity that is renewed meanwhile (reissue) is taken up. A fault of its own is logged and survived, unless they come by the dozen: then
 * 1, and whatever started it starts it anew.
 */
export async function runAgent(options: AgentOptions): Promise<number> {
  const log = quietLog((line) => process.stderr.write(`tagkeep agent: ${line}\n`), Date.now);
  const identity = usableIdentity(options.dir, log);
  if (!identity) return 1;
  log(`version ${agentVersion}, reader ${identity.identity.serial}, local interface ${options.reader}`);
  let agent = started({ options, identity, log });
  const watch = watchIdentity(options.dir, async () => {
    const renewed = usableIdentity(options.dir, log);
    if (!renewed) return;
    log('the identity files have changed: connecting with the new ones');
    await agent.stop();
    agent = started({ options, identity: renewed, log });
  });
  const code = await end(log);
  await watch.stop();
  await agent.stop();
  return code;
}

function started(parts: AgentParts): Agent {
  for (const line of parts.identity.warnings) parts.log(`warning: ${line}`);
  return startAgent(parts);
}

function usableIdentity(dir: string, log: (line: string) => void): AgentIdentity | null {
  try {
    return loadAgentIdentity(dir, Date.now());
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    for (const line of error.lines) log(line);
    return null;
  }
}

/** Resolves when the agent is to end. */
function end(log: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(0));
    let faults: readonly number[] = [];
    const survive = (fault: unknown): void => {
      log(
        `fault: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}`.replace(
          /\s+/g,
          ' ',
        ),
      );
      faults = [...faults, Date.now()].filter((at) => Date.now() - at < FAULTS_WITHIN_MS);
      if (faults.length >= FAULTS_MAX) resolve(1);
    };
    process.on('uncaughtException', survive);
    process.on('unhandledRejection', survive);
  });
}
