import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type App, startApp } from '../../src/app/create-app.ts';
import { diagnosticsTask } from '../../src/app/diagnostics-file.ts';
import { type DoctorReport, examine } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/doctor-finding.ts';
import { withSight } from '../../src/app/doctor-sight.ts';
import type { FirstStart } from '../../src/app/first-start.ts';
import { provision } from '../../src/app/provision.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/options.ts';
import { createLog } from '../../src/log/log.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import { tables } from '../../src/store/tables.ts';
import { Rest } from './appliance.ts';
import type { CommandResult } from './command.ts';
import { Publisher } from './publisher.ts';
import { bundle } from './store-process.ts';

const run = promisify(execFile);

export interface ServedReader {
  readonly serial: string;
  readonly readerId: string;
  readonly dir: string;
}

/** An appliance in this process, in a folder of its own, with what the doctor needs of it. */
export class DoctorHouse {
  readonly root = mkdtempSync(join(tmpdir(), 'tagkeep-doctor-'));
  readonly env: Record<string, string>;
  readonly config: Config;
  /** The admin of the first start. */
  admin: FirstStart | null = null;
  key = '';
  orgId = '';
  #app: App | null = null;
  #program: Promise<string> | null = null;

  /** `more` of the environment, made from the folder. */
  constructor(more: (root: string) => Readonly<Record<string, string>> = () => ({})) {
    this.env = {
      TAGKEEP_DATA_DIR: join(this.root, 'data'),
      TAGKEEP_CERTS_DIR: join(this.root, 'certs'),
      TAGKEEP_HTTP__PORT: '0',
      TAGKEEP_HTTPS__HOST: '127.0.0.1',
      TAGKEEP_HTTPS__PORT: '0',
      TAGKEEP_MQTTS__HOST: '127.0.0.1',
      TAGKEEP_MQTTS__PORT: '0',
      ...more(this.root),
    };
    this.config = loadConfig({ env: this.env, cwd: this.root });
  }

  get app(): App {
    if (!this.#app) throw new Error('the appliance does not run');
    return this.#app;
  }

  get rest(): Rest {
    return new Rest(this.app.endpoints, this.key);
  }

  async start(): Promise<void> {
    const onFirstStart = (made: FirstStart): void => {
      this.admin = made;
    };
    this.#app = await startApp({ config: this.config, log: createLog({ level: 'silent' }), onFirstStart });
    const [org] = this.app.store.range(tables.orgs);
    this.orgId = org?.key ?? '';
    this.key = makeApiKey();
    const dates = { createdAt: Date.now(), expiresAt: null, revokedAt: null, lastUsedAt: null };
    const record = {
      id: randomUUID(),
      orgId: this.orgId,
      name: 'test',
      hash: hashApiKey(this.key),
      ...dates,
    };
    await this.app.store.write((tx) => putApiKey(tx, record));
  }

  async stop(): Promise<void> {
    await this.#app?.stop();
    this.#app = null;
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** A reader from the bench to its claim. */
  async reader(serial: string, readerPassword = 'impinj'): Promise<ServedReader> {
    const dir = join(this.root, serial);
    const made = await provision(this.app, {
      ...{ serial, model: 'R700', firmware: '10.1.0', keyType: 'ecdsa', dir, orgId: this.orgId },
      ...{ now: Date.now(), readerUser: 'root', readerPassword },
    });
    const claim = { code: made.claimCode, readerName: `Door ${serial}` };
    const { readerId } = await this.rest.ok<{ readerId: string }>('POST', '/devices/claim', claim);
    return { serial, readerId, dir };
  }

  connect({ serial, dir }: ServedReader): Promise<Publisher> {
    return Publisher.connect({ url: this.app.endpoints.mqtts, serial, identity: dir });
  }

  /** What the timers do every few seconds. */
  async saveDiagnostics(): Promise<void> {
    const { store, pipeline } = this.app;
    const task = diagnosticsTask({ dataDir: this.config.dataDir, store, pipeline, now: Date.now });
    await pipeline.activity.save();
    await task.run();
  }

  /** The doctor in this process, beside the open store. */
  examine(now = Date.now(), config = this.config): Promise<DoctorReport> {
    const store = this.#app ? { store: this.#app.store } : {};
    return withSight({ config, now, ...store }, (sight) => examine(sight, { showPayloads: true }));
  }

  /** The commands in a process of their own. */
  async command(...args: readonly string[]): Promise<CommandResult> {
    this.#program ??= bundle('doctor-peer.ts');
    const env = { ...this.env, PATH: process.env.PATH };
    try {
      const options = { env, cwd: this.root };
      const { stdout, stderr } = await run(process.execPath, [await this.#program, ...args], options);
      return { code: 0, stdout, stderr };
    } catch (error) {
      // What execFile rejects with carries the outcome.
      const { code, stdout, stderr } = error as CommandResult;
      return { code, stdout, stderr };
    }
  }
}

/** The findings of one check, as `level subject: message`. */
export function of(report: { readonly findings: readonly Finding[] }, check: string): readonly string[] {
  return report.findings
    .filter((finding) => finding.check === check)
    .map(({ level, subject, message }) => `${level} ${subject ?? '-'}: ${message}`);
}
