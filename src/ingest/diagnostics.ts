import { limits } from '../domain/limits.ts';

/** A payload that could not be read, as kept for the operator. */
export interface BadPayload {
  readonly at: number;
  readonly reason: string;
  /** The beginning of the payload, as text. */
  readonly excerpt: string;
}

/** What arrived from one device since the start. Counters only grow. */
export interface DeviceCounters {
  messages: number;
  reads: number;
  /** Reads not newer than what their antenna had reported: redelivered, or out of order. */
  repeats: number;
  rejected: number;
  /** Reads whose time was ahead of the service's clock by more than `ingest.maxClockSkewSeconds`. */
  clockSkewed: number;
  /** Messages dropped because the device is not claimed, or its data is refused. */
  dropped: number;
}

export interface DeviceDiagnostics extends DeviceCounters {
  /** Reader's clock minus the service's at the last timed read, ms; null before the first. */
  clockAheadMs: number | null;
  readonly badPayloads: readonly BadPayload[];
}

interface Kept extends DeviceDiagnostics {
  badPayloads: BadPayload[];
}

/** Counters and the last bad payloads, by serial. Bounded: only serials with a certificate of ours get here. */
export class Diagnostics {
  readonly #bySerial = new Map<string, Kept>();

  of(serial: string): DeviceDiagnostics {
    return this.#kept(serial);
  }

  all(): Iterable<readonly [serial: string, diagnostics: DeviceDiagnostics]> {
    return this.#bySerial.entries();
  }

  reject(
    serial: string,
    rejection: { at: number; reasons: readonly string[]; count: number; payload: Buffer },
  ): void {
    const kept = this.#kept(serial);
    kept.rejected += rejection.count;
    const excerpt = rejection.payload.toString('utf8', 0, limits.badPayloadKeptBytes);
    for (const reason of rejection.reasons) {
      kept.badPayloads.push({ at: rejection.at, reason, excerpt });
    }
    kept.badPayloads.splice(0, kept.badPayloads.length - limits.badPayloadsKept);
  }

  #kept(serial: string): Kept {
    const known = this.#bySerial.get(serial);
    if (known) return known;
    const counters = { messages: 0, reads: 0, repeats: 0, rejected: 0, clockSkewed: 0, dropped: 0 };
    // The spread comes last: one that is added to gives each object a shape of its own, and counting in it is slow.
    const kept: Kept = { clockAheadMs: null, badPayloads: [], ...counters };
    this.#bySerial.set(serial, kept);
    return kept;
  }
}
