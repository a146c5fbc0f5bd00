import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { until } from './wait.ts';

const PROGRAM = 'dist/tagkeep.mjs';
const AGENT_DIR = 'dist/agent/cap';

/** What `GET /stand-in` tells, as far as tests look at it. */
export interface StandInView {
  readonly radio: {
    readonly id: string | null;
    readonly preset: { readonly antennaConfigs: readonly object[] };
  } | null;
  readonly calls: Readonly<Record<string, number>>;
}

export interface ReaderProcessesOptions {
  /** Its identity folder. */
  readonly dir: string;
  /** The broker. */
  readonly url: string;
  /** The reader publishes nothing itself: its agent forwards its events. */
  readonly forwarded?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** A reader as two processes of their own, its hardware and its agent, that can be killed and started again. */
export class ReaderProcesses {
  readonly #options: ReaderProcessesOptions;
  readonly #port: number;
  #standIn: ChildProcess | null = null;
  #agent: ChildProcess | null = null;
  /** What the agent said. */
  said = '';

  private constructor(options: ReaderProcessesOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  static async start(options: ReaderProcessesOptions): Promise<ReaderProcesses> {
    const reader = new ReaderProcesses(options, await freePort());
    await reader.startStandIn();
    reader.startAgent();
    return reader;
  }

  get agentPid(): number {
    return this.#agent?.pid ?? 0;
  }

  /** Power on; resolves when the local interface is there. */
  async startStandIn(): Promise<void> {
    const { dir, url, forwarded } = this.#options;
    const child = this.#spawn([
      ...[PROGRAM, 'simulate', '--stand-in', '--identity', dir, '--url', url, '--rate', '40', '--tags', '10'],
      ...['--local-port', String(this.#port), ...(forwarded ? ['--no-mqtt'] : [])],
    ]);
    this.#standIn = child;
    child.stderr?.resume();
    if (!child.stdout) throw new Error('the stand-in has no output');
    await once(createInterface(child.stdout), 'line');
  }

  startAgent(): void {
    const { dir, url, forwarded } = this.#options;
    const agent = this.#spawn([
      ...[...agentFlags(), join(AGENT_DIR, 'agent.mjs'), '--dir', dir, '--broker', url],
      ...['--reader', `https://127.0.0.1:${this.#port}`, ...(forwarded ? ['--forward-events'] : [])],
    ]);
    agent.stderr?.on('data', (chunk) => (this.said += chunk));
    this.#agent = agent;
  }

  killAgent(): Promise<void> {
    return kill(this.#agent);
  }

  killStandIn(): Promise<void> {
    return kill(this.#standIn);
  }

  view(): Promise<StandInView> {
    // The stand-in's own page.
    return this.#call('GET', '/stand-in') as Promise<StandInView>;
  }

  async faults(faults: object): Promise<void> {
    await this.#call('PUT', '/stand-in/faults', faults);
  }

  async reboot(): Promise<void> {
    await this.#call('POST', '/stand-in/reboot', {});
  }

  /** Resolves when the next call that begins so has arrived, counted from `before`. */
  async arrival(prefix: string, before: StandInView): Promise<void> {
    const count = ({ calls }: StandInView): number =>
      Object.entries(calls).reduce((sum, [call, times]) => (call.startsWith(prefix) ? sum + times : sum), 0);
    await until(`a call ${prefix}`, async () => count(await this.view()) > count(before));
  }

  async end(): Promise<void> {
    await Promise.all([this.killAgent(), this.killStandIn()]);
  }

  #spawn(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, args, { env: this.#options.env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const { user, password } = JSON.parse(readFileSync(join(this.#options.dir, 'svc.json'), 'utf8'));
    const sent = request({
      ...{ host: '127.0.0.1', port: this.#port, method, path, auth: `${user}:${password}` },
      rejectUnauthorized: false,
      headers: { 'content-type': 'application/json' },
    });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const answer = await text(response);
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`);
    return answer === '' ? null : JSON.parse(answer);
  }
}

/** As `start` on a reader has them. */
function agentFlags(): readonly string[] {
  const start = readFileSync(join(AGENT_DIR, 'start'), 'utf8');
  const [, flags] = /\.\/node (.+) agent\.mjs/.exec(start) ?? [];
  if (!flags) throw new Error(`${AGENT_DIR}/start runs no agent.mjs`);
  return flags.split(' ');
}

/** A port nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function kill(child: ChildProcess | null): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
