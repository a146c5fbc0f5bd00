import type { Reader } from '../../../contract/reader.ts';

/** The readers that do not do what they should: offline or degraded, and not because somebody wants it so. */
export function unwell(readers: readonly Reader[]): readonly Reader[] {
  return readers.filter(
    ({ displayStatus, enabled }) => displayStatus === 'Degraded' || (displayStatus === 'Offline' && enabled),
  );
}
