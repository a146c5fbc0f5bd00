import type { LinkMessage } from './broker-link.ts';
import { subscribePacketId } from './subscription.ts';

/** What deliveries are made over. */
export interface DeliveryLink {
  readonly connected: boolean;
  publish(message: LinkMessage, done: (error?: Error) => void): void;
}

interface Parcel {
  readonly topic: string;
  readonly payload: string;
  readonly delivered: () => void;
}

/** Below the identifier that subscriptions use. */
const LAST_PACKET_ID = subscribePacketId - 1;

/**
 * Messages at QoS 1 over a link that breaks: each is sent again, with its packet identifier and marked dup, after every
 * reconnection until the broker has acknowledged it. Bounded by its users: each hands over a few at a time.
 */
export class Delivery {
  readonly #link: DeliveryLink;
  readonly #parcels = new Map<number, Parcel>();
  #packetId = 0;

  constructor(link: DeliveryLink) {
    this.#link = link;
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  /** Sends at once when connected, else at the next connection. `delivered` is called once, at the acknowledgement. */
  send(topic: string, payload: string, delivered: () => void): void {
    do this.#packetId = (this.#packetId % LAST_PACKET_ID) + 1;
    while (this.#parcels.has(this.#packetId));
    this.#parcels.set(this.#packetId, { topic, payload, delivered });
    if (this.connected) this.#transmit(this.#packetId, false);
  }

  /** To be called when the link is open again. */
  reopened(): void {
    // One that was never sent goes out marked dup as well: nobody can tell, and QoS 1 allows it.
    for (const id of [...this.#parcels.keys()]) this.#transmit(id, true);
  }

  #transmit(id: number, dup: boolean): void {
    const parcel = this.#parcels.get(id);
    if (!parcel) return;
    const { topic, payload } = parcel;
    this.#link.publish({ topic, payload, qos: 1, dup, id }, (error) => {
      // What failed stays: it goes again when the connection is back.
      if (error !== undefined || !this.#parcels.delete(id)) return;
      parcel.delivered();
    });
  }
}
