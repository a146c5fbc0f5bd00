import type { InventoryHistory as Answer } from '../../contract/inventory.ts';
import { limits } from '../../domain/limits.ts';
import { byName } from '../../lib/by-name.ts';
import { formatInstant } from '../../lib/instant.ts';
import { MinuteSlots } from '../../lib/minute-slots.ts';
import { Pace } from '../../lib/pace.ts';
import type { Directory } from '../../store/directory.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { addPresent } from './presence.ts';

const SLOTS = limits.historyMinutes + 1;

export interface InventoryHistoryOptions {
  readonly directory: Directory;
  readonly states: TagStates;
  /** Epoch ms. */
  readonly now: () => number;
  /** How long a tag counts as present after it was last seen in its zone, ms. */
  readonly presenceMs: number;
}

/**
 * How many tags were present in each zone, once a minute for the last hours, in memory: 1.4 kB a zone. Zones beyond
 * `limits.historyZones`, of all organisations together, have none.
 */
export class InventoryHistory {
  readonly #options: InventoryHistoryOptions;
  readonly #slots = new MinuteSlots(SLOTS);
  /** By zone number; -1: the zone was not there. */
  readonly #counts = new Map<number, Int32Array>();

  constructor(options: InventoryHistoryOptions) {
    this.#options = options;
  }

  /** Takes this minute's sample unless it is there; called every second or so, never twice at once. */
  async sample(): Promise<void> {
    const at = this.#options.now();
    if (!this.#slots.isDue(at)) return;
    const zoneNos = new Set(this.#options.directory.zones().map(({ no }) => no));
    const totals = await this.#count(zoneNos, at);
    const slot = this.#slots.slotOf(at);
    for (const no of this.#counts.keys()) if (!zoneNos.has(no)) this.#counts.delete(no);
    for (const no of zoneNos) {
      const counts = this.#countsOf(no);
      if (counts) counts[slot] = totals[no] ?? 0;
    }
    this.#slots.taken(at);
  }

  /** The last minutes of an organisation's zones, by name. */
  of(orgId: string, minutes: number): Answer {
    const { directory, now } = this.#options;
    const { at, slots } = this.#slots.last(minutes, now());
    const zones = directory.zonesOf(orgId).toSorted(byName);
    return {
      at: at.map(formatInstant),
      zones: zones.map(({ id, name, no }) => {
        const counts = this.#counts.get(no);
        const count = (slot: number | null) => (slot === null ? -1 : (counts?.[slot] ?? -1));
        return { zoneId: id, zoneName: name, counts: slots.map((slot) => nullIfNone(count(slot))) };
      }),
    };
  }

  async #count(zoneNos: ReadonlySet<number>, at: number): Promise<Uint32Array> {
    const { states, presenceMs } = this.#options;
    let highest = 0;
    for (const no of zoneNos) highest = Math.max(highest, no);
    const totals = new Uint32Array(highest + 1);
    const pace = new Pace();
    for (const chunk of states.chunks) {
      if (pace.due) await pace.pause();
      addPresent(chunk, at - presenceMs, totals);
    }
    return totals;
  }

  #countsOf(zoneNo: number): Int32Array | undefined {
    const known = this.#counts.get(zoneNo);
    if (known || this.#counts.size >= limits.historyZones) return known;
    const counts = new Int32Array(SLOTS).fill(-1);
    this.#counts.set(zoneNo, counts);
    return counts;
  }
}

function nullIfNone(count: number): number | null {
  return count < 0 ? null : count;
}
