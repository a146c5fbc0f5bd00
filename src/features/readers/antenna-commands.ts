import { saysPresetNotFound } from '../../contract/preset.ts';
import { isUnsettled } from '../../domain/command.ts';
import { presetOf } from '../../domain/preset.ts';
import { addCommand, latestCommand, type ReaderKey, supersedeLane } from '../../store/commands.ts';
import type { AntennaRecord } from '../../store/records.ts';
import type { Reading, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** New settings of a reader's antennas, in the transaction that stores them. `now` is epoch ms. */
export interface AntennasChanged extends ReaderKey {
  readonly before: readonly AntennaRecord[];
  readonly after: readonly AntennaRecord[];
  readonly newId: () => string;
  readonly now: number;
}

/**
 * Makes the commands that bring new antenna settings to the reader (interface: antenna PUT rule 3): the settings, unless the
 * reader has them, or is to have them, already; a stop when no port is left on, a start when there is one again, as far as
 * nobody has stopped the reader. A change of zones is none for the reader.
 */
export function commandAntennas(tx: Tx, { before, after, newId, now, ...key }: AntennasChanged): void {
  const [preset, known] = [presetOf(after), presetOf(before)];
  const isEnabled = tx.get(tables.readers, [key.orgId, key.readerId])?.enabled === true;
  const add = (kind: 'push-config' | 'start' | 'stop'): unknown =>
    addCommand(tx, { ...key, id: newId(), kind, now });
  if (preset === null) {
    supersedeLane(tx, key, { lane: 'settings', now });
    if (known !== null && isEnabled) add('stop');
    return;
  }
  if (JSON.stringify(preset) !== JSON.stringify(known) || wereRefused(tx, key) || areLost(tx, key))
    add('push-config');
  if (known === null && isEnabled) add('start');
}

/** Sent once and neither taken nor on their way: whoever sends them again wants them tried again. */
function wereRefused(reading: Reading, key: ReaderKey): boolean {
  const last = latestCommand(reading, key, 'settings');
  return last !== null && last.standing !== 'applied' && !isUnsettled(last.standing);
}

/** The last start found nothing to start: whatever the reader was sent before, somebody took it away. */
function areLost(reading: Reading, key: ReaderKey): boolean {
  const last = latestCommand(reading, key);
  if (last?.standing !== 'failed' || !saysPresetNotFound(last.error ?? '')) return false;
  // Numbers grow whatever the lane: settings with a higher one went out again since, and the start tells nothing of them.
  return last.no > (latestCommand(reading, key, 'settings')?.no ?? 0);
}
