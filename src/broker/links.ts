import type { Client } from 'aedes';
import type { Link } from './link.ts';

const LINK = Symbol('link');

interface Linked {
  [LINK]?: Link;
}

/** Ties our side of a connection to the client that Aedes made for it. */
export function attachLink(client: Client, link: Link): void {
  // Aedes constructs its clients itself, so the property is added from outside; found faster than in a
  // WeakMap, per publish.
  (client as Linked)[LINK] = link;
}

export function linkOf(client: object): Link | undefined {
  // The counterpart of attachLink.
  return (client as Linked)[LINK];
}

/** What Aedes does itself for every packet it handles: its timer has no public way in. */
export function keepAliveOf(client: Client): () => void {
  const { _keepaliveInterval: interval = 0 } = client as KeptAlive;
  return () => {
    // Looked up each time: the timer goes when the client closes.
    if (interval > 0) (client as KeptAlive)._keepaliveTimer?.refresh();
  };
}

interface KeptAlive {
  readonly _keepaliveInterval?: number;
  readonly _keepaliveTimer?: NodeJS.Timeout | null;
}

/** All open connections, and by certificate name. */
export class Links {
  readonly #bySerial = new Map<string, Set<Link>>();
  readonly #all = new Set<Link>();

  add(link: Link): void {
    this.#all.add(link);
    const same = this.#bySerial.get(link.serial);
    if (same) same.add(link);
    else this.#bySerial.set(link.serial, new Set([link]));
  }

  remove(link: Link): void {
    this.#all.delete(link);
    const same = this.#bySerial.get(link.serial);
    same?.delete(link);
    if (same?.size === 0) this.#bySerial.delete(link.serial);
  }

  all(): Link[] {
    return [...this.#all];
  }

  of(serial: string): Link[] {
    return [...(this.#bySerial.get(serial) ?? [])];
  }

  count(serial: string): number {
    return this.#bySerial.get(serial)?.size ?? 0;
  }

  isLive(scopedId: string, serial: string): boolean {
    return this.of(serial).some((link) => link.clientId === scopedId && !link.closed);
  }
}
