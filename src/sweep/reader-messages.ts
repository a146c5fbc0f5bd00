import type { OfflineReason } from '../domain/reader-status.ts';
import { formatInstant } from '../lib/instant.ts';
import type { ReaderRecord } from '../store/records.ts';

/** Why a reader is offline, and what to do about it, in words. */
const words: Record<OfflineReason, { readonly why: string; readonly help: string }> = {
  'broker-disconnected': {
    why: 'its connection to the service is closed',
    help: 'Check its power, its network and the broker address it was given.',
  },
  'no-data': {
    why: 'it is connected but sends nothing',
    help: "Look at the reader's own page whether it still runs; restart it if it stays silent.",
  },
  'radio-idle': {
    why: 'its radio is idle although it should run',
    help: "Start it again; if that does not help, look at the reader's own page for the cause.",
  },
  'never-connected': {
    why: 'it has never connected',
    help: 'Check its network, the broker address it was given and its identity files.',
  },
  stopped: { why: 'somebody has stopped it', help: 'Start it when it is needed.' },
};

/** What is known of a reader that went offline. Times are epoch ms. */
export interface OfflineFacts {
  readonly reason: OfflineReason;
  /** When it was first found so. */
  readonly since: number;
  readonly lastSeenAt: number | null;
}

/** What the alert of an offline reader says: what, why, since when, what to do. */
export function offlineMessage(reader: ReaderRecord, { reason, since, lastSeenAt }: OfflineFacts): string {
  const { why, help } = words[reason];
  // One with an idle radio is still heard of.
  const when =
    reason === 'radio-idle' || lastSeenAt === null
      ? `Found so at ${formatInstant(since)}.`
      : `Last heard of at ${formatInstant(lastSeenAt)}.`;
  return `${titleOf(reader)} is offline: ${why}. ${when} ${help}`;
}

/** A temperature as the reader reported it at `healthAt` (epoch ms), and the limit it is past. */
export interface HeatFacts {
  readonly temperatureC: number;
  readonly healthAt: number;
  readonly hotCelsius: number;
}

/** What the alert of a hot reader says. */
export function hotMessage(reader: ReaderRecord, { temperatureC, healthAt, hotCelsius }: HeatFacts): string {
  const figure = `${temperatureC} °C at ${formatInstant(healthAt)}, alert from ${hotCelsius} °C`;
  return `${titleOf(reader)} is running hot: ${figure}. Check its surroundings: sun, heat sources, room for air.`;
}

function titleOf({ name, serial }: ReaderRecord): string {
  return `Reader "${name}" (${serial})`;
}
