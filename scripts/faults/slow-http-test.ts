import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

/** One way of slowhttptest to be slow, and at what. */
export interface SlowKind {
  readonly name: string;
  readonly args: readonly string[];
  /** The service's timeouts end it while the attack goes on. */
  readonly isCut: boolean;
}

/** Connections at the end of an attack, as slowhttptest tells. */
export interface SlowResult {
  readonly connected: number;
  readonly closed: number;
  /** Ended otherwise. */
  readonly failed: number;
}

export interface SlowSize {
  readonly connections: number;
  readonly seconds: number;
}

/** Headers, a body, and an answer of 1.7 MB, over both ways in. */
export function slowKinds({
  http,
  https,
}: {
  readonly http: string;
  readonly https: string;
}): readonly SlowKind[] {
  const page = '/docs/swagger-ui-bundle.js';
  const body = ['-B', '-i', '2', '-s', '8192', '-t', 'POST', '-f', 'application/json', '-x', '10'];
  const read = ['-X', '-n', '5', '-w', '10', '-y', '20', '-z', '5', '-k', '1'];
  const headers = ['-H', '-i', '2', '-x', '20'];
  return [
    { name: 'slow headers, HTTP', args: [...headers, '-u', `${http}/readyz`], isCut: true },
    { name: 'slow headers, HTTPS', args: [...headers, '-u', `${https}/readyz`], isCut: true },
    { name: 'slow body, HTTP', args: [...body, '-u', `${http}/api/v1/auth/login`], isCut: false },
    { name: 'slow body, HTTPS', args: [...body, '-u', `${https}/api/v1/auth/login`], isCut: false },
    { name: 'slow read, HTTP', args: [...read, '-u', `${http}${page}`], isCut: false },
    { name: 'slow read, HTTPS', args: [...read, '-u', `${https}${page}`], isCut: false },
  ];
}

/** Runs one attack to its end. */
export async function attack(kind: SlowKind, size: SlowSize, signal: AbortSignal): Promise<SlowResult> {
  const { connections, seconds } = size;
  const amount = ['-c', String(connections), '-r', String(connections / 2), '-l', String(seconds), '-p', '5'];
  const child = spawn('slowhttptest', [...kind.args, ...amount], {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const result = resultIn(output);
  if (!result) throw new Error(`slowhttptest said nothing that is known: ${output.slice(-300)}`);
  return result;
}

/** The last status it printed; null when there is none. */
export function resultIn(output: string): SlowResult | null {
  const plain = stripVTControlCharacters(output);
  const count = (name: string): number | null => {
    const found = [...plain.matchAll(new RegExp(`^${name}:\\s+(\\d+)`, 'gm'))].at(-1);
    return found ? Number(found[1]) : null;
  };
  const [connected, closed, failed] = [count('connected'), count('closed'), count('error')];
  if (connected === null || closed === null || failed === null) return null;
  // It ends at once then, without another status.
  if (plain.includes('No open connections left')) return { connected: 0, closed: closed + connected, failed };
  return { connected, closed, failed };
}
