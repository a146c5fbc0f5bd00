import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './wait.ts';

const run = promisify(execFile);
const PROGRAM = 'dist/tagkeep.mjs';
const START_MS = 15_000;

export interface Endpoints {
  readonly http: string;
  readonly https: string;
  readonly mqtts: string;
  readonly pid: number;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ApplianceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  /** A command that becomes the one after it, such as `setpriv`. */
  readonly before?: readonly string[];
  /** The built program; the checkout's when nothing is said. */
  readonly program?: string;
  /** A start that takes longer has failed. */
  readonly startMs?: number;
}

/** A folder of its own, the real program in it, and the ways to use it. Ports are free ones on loopback. */
export class Appliance {
  readonly root: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #command: readonly string[];
  readonly #startMs: number;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(options: ApplianceOptions = {}) {
    this.#command = [...(options.before ?? []), process.execPath, options.program ?? PROGRAM];
    this.#startMs = options.startMs ?? START_MS;
    this.root = mkdtempSync(join(tmpdir(), 'tagkeep-'));
    this.dataDir = options.dataDir ?? join(this.root, 'data');
    this.env = {
      PATH: process.env.PATH,
      HOME: this.root,
      TAGKEEP_DATA_DIR: this.dataDir,
      TAGKEEP_CERTS_DIR: join(this.root, 'certs'),
      TAGKEEP_HTTP__PORT: '0',
      TAGKEEP_HTTPS__HOST: '127.0.0.1',
      TAGKEEP_HTTPS__PORT: '0',
      TAGKEEP_MQTTS__HOST: '127.0.0.1',
      TAGKEEP_MQTTS__PORT: '0',
      ...options.env,
    };
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** How the process ended by itself, its exit code or the signal; null while it runs. */
  get ended(): number | NodeJS.Signals | null {
    return this.#child?.exitCode ?? this.#child?.signalCode ?? null;
  }

  /** Starts `serve` and waits until it says where it is. */
  async start(args: readonly string[] = []): Promise<Endpoints> {
    const [command = '', ...first] = this.#command;
    const child = spawn(command, [...first, 'serve', ...args], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout.on('data', (chunk) => (this.#output += chunk));
    child.stderr.on('data', (chunk) => (this.#output += chunk));
    const isReady = (): Endpoints | false => {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${this.#output}`);
      const endpoints = this.endpoints();
      return endpoints.pid === child.pid && endpoints;
    };
    return until('the appliance to be ready', isReady, this.#startMs);
  }

  endpoints(): Endpoints {
    return JSON.parse(readFileSync(join(this.dataDir, 'run', 'endpoints.json'), 'utf8'));
  }

  /** Runs one command of the program beside the serving one. */
  async cli(...args: readonly string[]): Promise<CliResult> {
    const [command = '', ...first] = this.#command;
    try {
      const { stdout, stderr } = await run(command, [...first, ...args], { env: this.env });
      return { code: 0, stdout, stderr };
    } catch (error) {
      // What execFile rejects with carries the outcome.
      const failed = error as { code: number; stdout: string; stderr: string };
      return { code: failed.code, stdout: failed.stdout, stderr: failed.stderr };
    }
  }

  async cliJson<T>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.cli(...args, '--json');
    if (code !== 0) throw new Error(`tagkeep ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  async key(): Promise<string> {
    return (await this.cliJson<{ key: string }>('key', 'create', 'test')).key;
  }

  /** Ends the process with a signal and answers its exit code, or the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    const child = this.#child;
    if (!child) return null;
    this.#child = null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
    child.kill(signal);
    const [code, by] = await once(child, 'exit');
    return code ?? by;
  }

  async dispose(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** REST with an API key, JSON in and out. */
export class Rest {
  readonly #base: string;
  readonly #key: string;

  constructor(endpoints: Endpoints, key: string) {
    this.#base = `${endpoints.http}/api/v1`;
    this.#key = key;
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#key}` };
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(this.#base + path, {
      method,
      headers: { ...this.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** The body of a request that must succeed. */
  async ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    // The caller knows what the route answers.
    return answer.body as T;
  }

  get<T>(path: string): Promise<T> {
    return this.ok<T>('GET', path);
  }
}

export interface ReaderInService {
  readonly serial: string;
  readonly readerId: string;
  readonly dir: string;
}

/** Bench to service: provision, claim, and each given port mapped to its zone. */
export async function readerInService(
  appliance: Appliance,
  rest: Rest,
  { serial, zones = {} }: { readonly serial: string; readonly zones?: Readonly<Record<number, string>> },
): Promise<ReaderInService> {
  const dir = join(appliance.root, serial);
  const made = await appliance.cliJson<{ claimCode: string }>(
    ...['reader', 'provision', serial, '--out', dir, '--key-type', 'ecdsa'],
  );
  const claim = { code: made.claimCode, readerName: `Reader ${serial}` };
  const { readerId } = await rest.ok<{ readerId: string }>('POST', '/devices/claim', claim);
  const antennas = Object.entries(zones).map(([port, zoneId]) => ({ port: Number(port), zoneId }));
  if (antennas.length > 0) await rest.ok('PUT', `/readers/${readerId}/antennas`, antennas);
  return { serial, readerId, dir };
}
