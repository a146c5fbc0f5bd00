import { randomUUID } from 'node:crypto';
import { Aedes, type AedesOptions, type PublishPacket } from 'aedes';

type Done = (error?: Error | null) => void;

/**
 * Aedes without its routing for everything that readers publish: what they may publish has gone to the
 * service before (in authorizePublish), the rest is dropped here, so neither ever reaches the message
 * emitter, the retained messages or a queue. Every handler and the will path end in `publish`.
 */
export class ReaderBroker extends Aedes {
  readonly #heartbeatTopic: string;

  constructor(options: AedesOptions) {
    super({ ...options, id: timeOrderedId() });
    this.#heartbeatTopic = `$SYS/${this.id}/heartbeat`;
  }

  /**
   * Called by Aedes as (packet, done) and as (packet, client, done), though typed with the first form only.
   */
  override publish(packet: PublishPacket, second: unknown, third?: unknown): void {
    const done = isDone(third) ? third : isDone(second) ? second : nothing;
    // The heartbeat tells Aedes that stored wills of this run are not orphans; nobody can subscribe to the
    // rest of $SYS.
    if (packet.topic === this.#heartbeatTopic) super.publish(packet, done);
    else done();
  }

  /** The one way to publish to readers. */
  command(topic: string, payload: Buffer, retain: boolean): Promise<void> {
    const packet: PublishPacket = { cmd: 'publish', topic, payload, qos: 1, retain, dup: false };
    return new Promise((resolve, reject) => {
      super.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/**
 * Queued commands are stored under the id of the run that sent them: ids in order of time keep them in order
 * over a restart.
 */
function timeOrderedId(): string {
  return `${String(Date.now()).padStart(15, '0')}-${randomUUID()}`;
}

function isDone(value: unknown): value is Done {
  return typeof value === 'function';
}

function nothing(): void {}
