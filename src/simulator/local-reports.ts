import type { LocalPreset } from './local-preset-schema.ts';
import { isObject } from './local-schema.ts';
import { type EventShape, hostnameOf } from './r700-event.ts';

const CACHE_SIZE = 2048;

/**
 * What a running preset makes of reads: the power of each port that is on, and the reader's own de-duplication (a tag still
 * in view is reported again only after the interval, as far as the cache remembers it).
 */
export class LocalReports {
  readonly #powers: ReadonlyMap<number, number>;
  readonly #intervalMs: number;
  readonly #cacheSize: number;
  /** Oldest report first. */
  readonly #reportedAt = new Map<string, number>();

  constructor(preset: LocalPreset) {
    this.#powers = new Map(
      preset.antennaConfigs.map(({ antennaPort, transmitPowerCdbm }) => [antennaPort, transmitPowerCdbm]),
    );
    const reporting = preset.eventConfig?.tagInventory?.tagReporting;
    const { reportingIntervalSeconds, tagCacheSize } = isObject(reporting) ? reporting : {};
    this.#intervalMs = Number(reportingIntervalSeconds ?? 0) * 1000;
    this.#cacheSize = Number(tagCacheSize ?? CACHE_SIZE);
  }

  /** The power the port reads with, hundredths of a dBm; null when it is off. */
  powerOf(port: number): number | null {
    return this.#powers.get(port) ?? null;
  }

  /** Whether a read at `at` (epoch ms) becomes an event. */
  isDue(epcHex: string, port: number, at: number): boolean {
    if (this.#intervalMs === 0) return true;
    const key = `${port} ${epcHex}`;
    const last = this.#reportedAt.get(key);
    if (last !== undefined && Math.abs(at - last) < this.#intervalMs) return false;
    this.#reportedAt.delete(key);
    this.#reportedAt.set(key, at);
    if (this.#reportedAt.size > this.#cacheSize) this.#forgetOldest();
    return true;
  }

  #forgetOldest(): void {
    for (const oldest of this.#reportedAt.keys()) {
      this.#reportedAt.delete(oldest);
      return;
    }
  }
}

/**
 * What a preset's events look like: with a host name when it says so, and every optional property when it turns `epcHex` on.
 * (A reader turns them on one by one; the service takes any of them.)
 */
export function shapeOf(preset: LocalPreset, serial: string): EventShape {
  const { common, tagInventory } = preset.eventConfig ?? {};
  const format = tagInventory?.epcHex === 'enabled' ? 'full' : 'minimal';
  return common?.hostname === 'enabled' ? { format, hostname: hostnameOf(serial) } : { format };
}
