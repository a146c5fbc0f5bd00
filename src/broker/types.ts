import type { PublishKind } from '../contract/topics.ts';

/** Who holds the other end of a connection, from its verified client certificate. */
export interface Peer {
  /** The certificate's common name: the reader's serial. */
  readonly commonName: string;
  /** Upper-case hexadecimal, as Node prints it. */
  readonly certificateSerial: string;
  /** SHA-256 of the certificate, `AA:BB:…`. */
  readonly fingerprint256: string;
  /** The peer's IP address. */
  readonly address: string;
}

/** One publish of a reader. `payload` is a view of the received bytes: copy what is kept beyond `settle`. */
export interface PublishedMessage {
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly dup: boolean;
}

/**
 * What the broker asks of, and tells, the rest of the service. A throw in any of them never ends the process.
 */
export interface BrokerHooks {
  /**
   * null = admitted; else why not (CONNACK 5, logged). Checked at each connection, resumed TLS sessions too.
   */
  admit(peer: Peer): string | null;
  /**
   * A publish of a reader on one of its own topics. `settle()` sends the PUBACK or PUBREC (QoS 1, 2) and
   * frees the back-pressure (any QoS): call it once, when the message is stored. Acknowledgements leave in
   * the order of the publishes, in whatever order they are settled. False: not taken, and `settle` will not
   * be called; the connection is closed, so the client sends the message again.
   */
  onPublish(serial: string, kind: PublishKind, message: PublishedMessage, settle: () => void): boolean;
  /** Per connection; a reader may hold several. */
  onConnected(serial: string, connectionId: string): void;
  onDisconnected(serial: string, connectionId: string): void;
  /**
   * The connection reads the reader's commands from now on: it subscribed, or came back to a session that
   * had.
   */
  onCommandsSubscribed(serial: string, connectionId: string): void;
}

/** The part of a pino logger that the broker uses. */
export interface BrokerLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Every fixed limit of the broker. Reaching one has a named outcome: see `defaultLimits`. */
export interface BrokerLimits {
  readonly messageMaxBytes: number;
  readonly controlMaxBytes: number;
  readonly connectionsPerName: number;
  readonly handshakeTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly drainTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly clientIdMaxLength: number;
  readonly unsettledMessages: number;
  readonly unsettledBytes: number;
  readonly unsettledTotalBytes: number;
  readonly sessionsPerName: number;
  readonly queuedCommands: number;
}

/** What happened since the start, for metrics and `tagkeep doctor`. */
export interface BrokerCounters {
  /** TLS handshakes that failed or timed out. */
  tlsErrors: number;
  /** Connections refused before TLS: the total is reached. */
  connectionsDropped: number;
  /** Connections refused after TLS: too many under one certificate name. */
  connectionsRefusedByName: number;
  /** CONNECTs answered with CONNACK 2 or 5. */
  connectsRefused: number;
  connectsAccepted: number;
  /** Connections closed by an error of protocol, size, time or network. */
  connectionErrors: number;
  publishesAccepted: number;
  /** Publishes and wills on a topic that is not the reader's own: dropped. */
  publishesForeign: number;
  /** Packets over the size limit: each closed its connection. */
  packetsOversized: number;
  subscriptionsRefused: number;
  /** Hooks that threw. */
  hookErrors: number;
}

export interface BrokerOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Who may sign readers' certificates. */
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** Folder of the level store that holds retained commands and sessions; made when absent. */
  readonly dataDir: string;
  readonly hooks: BrokerHooks;
  readonly log: BrokerLogger;
  /** Open connections in total, default 4,000; the newest is refused. */
  readonly maxConnections?: number;
  readonly limits?: Partial<BrokerLimits>;
}

/** The broker's certificate chain and its private key, PEM. */
export type ServerPem = Pick<BrokerOptions, 'certPem' | 'keyPem'>;

/** A connection that is open now. */
export interface OpenConnection {
  /** As the client named itself; one that did not was given a UUID. */
  readonly clientId: string;
  /** Its IP address. */
  readonly address: string;
  /** Epoch ms, by this machine's clock. */
  readonly connectedAt: number;
}

export interface Broker {
  readonly port: number;
  /**
   * Publishes on `svc/v1/{serial}/commands` with QoS 1, retained unless `retain` is false. Resolves when it
   * is stored and handed to the connected agents; rejects for an impossible serial, a failed store or a
   * stopped broker.
   */
  publishCommand(serial: string, payload: object, options?: { readonly retain?: boolean }): Promise<void>;
  /** Open, admitted connections of all readers. */
  openConnections(): number;
  /** Open, admitted connections of a reader. */
  connections(serial: string): number;
  /** The same one by one, the oldest first. */
  opened(serial: string): readonly OpenConnection[];
  /** Those of them that read the reader's commands: its agent is there. */
  agents(serial: string): number;
  /** Cuts a reader's connections; resolves with how many there were, when they are closed. */
  disconnect(serial: string): Promise<number>;
  readonly counters: Readonly<BrokerCounters>;
  /** What new connections are shown from now on; open ones go on. Throws when the two can't be used. */
  replaceCertificate(pair: ServerPem): void;
  /**
   * Takes no more input, waits (up to 1 s) for what is unsettled, closes everything. Idempotent, done within
   * 2 s.
   */
  stop(): Promise<void>;
}
