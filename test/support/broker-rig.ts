import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { startBroker } from '../../src/broker/broker.ts';
import type { Broker, BrokerHooks, BrokerLimits, Peer } from '../../src/broker/types.ts';
import type { PublishKind } from '../../src/contract/topics.ts';
import type { BrokerPki, Identity } from './broker-certs.ts';
import { RawClient } from './mqtt-raw.ts';

export interface Published {
  readonly serial: string;
  readonly kind: PublishKind;
  readonly text: string;
  readonly qos: number;
  readonly dup: boolean;
  readonly settle: () => void;
}

export interface LogLine {
  readonly level: string;
  readonly details: object;
  readonly message: string;
}

/** A real broker on a free port that notes what its hooks are told. */
export interface Rig {
  broker: Broker;
  readonly dataDir: string;
  readonly published: Published[];
  /** `connected A c1`, `subscribed A c1`, `disconnected A c1`. */
  readonly happened: string[];
  readonly peers: Peer[];
  readonly log: LogLine[];
  /** Publishes settle at once unless this is false. */
  settleAtOnce: boolean;
  /** Why a serial is refused. */
  readonly refused: Map<string, string>;
  readonly overrides: Partial<BrokerHooks>;
  mqtt(identity: Identity, options?: IClientOptions): Promise<MqttClient>;
  raw(identity: Identity): Promise<RawClient>;
  /** Stops the broker and starts another on the same folder; `between` sees the store while no broker has it. */
  restart(between?: (store: Level<string, Buffer>) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly limits?: Partial<BrokerLimits>;
  readonly maxConnections?: number;
}

export async function startRig(pki: BrokerPki, options: RigOptions = {}): Promise<Rig> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tagkeep-broker-'));
  const clients: { end(): unknown }[] = [];
  const rig: Omit<Rig, 'broker'> & { broker?: Broker } = {
    dataDir,
    published: [],
    happened: [],
    peers: [],
    log: [],
    settleAtOnce: true,
    refused: new Map(),
    overrides: {},
    async mqtt(identity, more = {}) {
      const client = await mqtt.connectAsync({
        ...connection(running.broker, pki, identity),
        reconnectPeriod: 0,
        ...more,
      });
      client.on('error', () => {});
      clients.push({ end: () => client.end(true) });
      return client;
    },
    async raw(identity) {
      const client = await RawClient.open(connection(running.broker, pki, identity));
      clients.push({ end: () => client.destroy() });
      return client;
    },
    async restart(between) {
      await running.broker.stop();
      if (between) {
        const store = new Level<string, Buffer>(dataDir, { valueEncoding: 'buffer' });
        await between(store).finally(() => store.close());
      }
      running.broker = await launch();
    },
    async close() {
      for (const client of clients) client.end();
      await running.broker.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  const launch = (): Promise<Broker> =>
    startBroker({
      host: '127.0.0.1',
      port: 0,
      caPem: pki.ca.cert,
      certPem: pki.server.cert,
      keyPem: pki.server.key,
      dataDir,
      hooks: hooksOf(rig),
      log: logOf(rig.log),
      ...options,
    });
  const running: Rig = Object.assign(rig, { broker: await launch() });
  return running;
}

function hooksOf(rig: Omit<Rig, 'broker'>): BrokerHooks {
  const note =
    (what: string) =>
    (serial: string, connectionId: string): void => {
      rig.happened.push(`${what} ${serial} ${connectionId}`);
    };
  const hooks: BrokerHooks = {
    admit(peer) {
      rig.peers.push(peer);
      return rig.refused.get(peer.commonName) ?? null;
    },
    onPublish(...[serial, kind, message, settle]) {
      const { qos, dup } = message;
      rig.published.push({ serial, kind, text: message.payload.toString(), qos, dup, settle });
      if (rig.settleAtOnce) settle();
      return true;
    },
    onConnected: note('connected'),
    onDisconnected: note('disconnected'),
    onCommandsSubscribed: note('subscribed'),
  };
  return {
    admit: (peer) => (rig.overrides.admit ?? hooks.admit)(peer),
    onPublish: (...args) => (rig.overrides.onPublish ?? hooks.onPublish)(...args),
    onConnected: (...args) => (rig.overrides.onConnected ?? hooks.onConnected)(...args),
    onDisconnected: (...args) => (rig.overrides.onDisconnected ?? hooks.onDisconnected)(...args),
    onCommandsSubscribed: (...args) =>
      (rig.overrides.onCommandsSubscribed ?? hooks.onCommandsSubscribed)(...args),
  };
}

function logOf(lines: LogLine[]) {
  const at = (level: string) => (details: object, message: string) => {
    lines.push({ level, details, message });
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function connection(broker: Broker, pki: BrokerPki, { cert, key }: Identity) {
  return { host: '127.0.0.1', port: broker.port, protocol: 'mqtts' as const, ca: pki.ca.cert, cert, key };
}
