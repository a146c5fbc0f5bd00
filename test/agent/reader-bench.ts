import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, type AgentParts, startAgent } from '../../src/agent/agent.ts';
import { loadAgentIdentity } from '../../src/agent/agent-identity.ts';
import { agentOptions, type TypedOptions } from '../../src/agent/options.ts';
import { type LocalInterface, startLocalInterface } from '../../src/simulator/local-interface.ts';
import { credentials, selfSigned } from '../simulator/local-support.ts';
import { type BrokerPki, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';
import { until } from '../support/wait.ts';

export const SERIAL = '370-10-15-0036';

type Pace = Pick<AgentParts, 'healthEveryMs' | 'keepaliveSeconds'>;

/** A real broker, the stand-in's local interface on a real socket, and agents that run against both. */
export class ReaderBench {
  readonly pki: BrokerPki;
  readonly rig: Rig;
  readonly local: LocalInterface;
  readonly dir: string;
  readonly lines: string[] = [];
  readonly #agents: Agent[] = [];

  private constructor(parts: Pick<ReaderBench, 'pki' | 'rig' | 'local' | 'dir'>) {
    this.pki = parts.pki;
    this.rig = parts.rig;
    this.local = parts.local;
    this.dir = parts.dir;
  }

  static async open(): Promise<ReaderBench> {
    const pki = makeBrokerPki();
    const dir = mkdtempSync(join(tmpdir(), 'tagkeep-agent-'));
    const identityDir = join(dir, 'rw_dir');
    mkdirSync(identityDir);
    writeIdentity(identityDir, pki);
    const local = await startLocalInterface({
      ...{ dir: join(dir, 'flash'), serial: SERIAL, tls: selfSigned, keepAliveMs: 200 },
      ...credentials,
    });
    return new ReaderBench({ pki, rig: await startRig(pki), local, dir: identityDir });
  }

  get brokerUrl(): string {
    return `mqtts://localhost:${this.rig.broker.port}`;
  }

  /** Starts an agent; resolves when it takes commands. */
  async agent(typed: TypedOptions = {}, pace: Pace = {}): Promise<Agent> {
    const agent = this.start({ broker: this.brokerUrl, ...typed }, pace);
    await until('the agent to be ready', () => agent.ready);
    return agent;
  }

  start(typed: TypedOptions, pace: Pace = {}): Agent {
    const agent = startAgent({
      options: agentOptions({ dir: this.dir, reader: this.local.url, ...typed }),
      identity: loadAgentIdentity(this.dir, Date.now()),
      log: (line) => this.lines.push(line),
      ...pace,
    });
    this.#agents.push(agent);
    return agent;
  }

  /** Publishes a command as the service does, and resolves with its id. */
  async send(command: { readonly kind: string; readonly [member: string]: unknown }): Promise<string> {
    const id = randomUUID();
    await this.rig.broker.publishCommand(
      SERIAL,
      { id, ...command },
      { retain: command.kind !== 'push-config' },
    );
    return id;
  }

  /** The answer to a command. */
  answer(id: string): Promise<Record<string, unknown>> {
    return until(`the answer to ${id}`, () => this.said('command-response').find((one) => one.id === id));
  }

  said(kind: 'status' | 'command-response'): Record<string, unknown>[] {
    return this.rig.published.filter((one) => one.kind === kind).map(({ text }) => JSON.parse(text));
  }

  get running(): string | null {
    return this.local.reader.running?.id ?? null;
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()));
    await this.local.stop();
    await this.rig.close();
    rmSync(join(this.dir, '..'), { recursive: true, force: true });
    this.pki.remove();
  }
}

/** The four files of a reader, with the modes that the contract asks for. */
export function writeIdentity(dir: string, pki: BrokerPki): void {
  const client = pki.client(SERIAL);
  writeFileSync(join(dir, 'ca.crt'), pki.ca.cert);
  writeFileSync(join(dir, 'client.crt'), client.cert);
  writeFileSync(join(dir, 'client.key'), client.key, { mode: 0o600 });
  writeFileSync(join(dir, 'svc.json'), JSON.stringify(credentials), { mode: 0o600 });
}
