import { execFileSync } from 'node:child_process';

/** Builds the program the end-to-end tests start, once for the whole run. */
export default function setup(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
