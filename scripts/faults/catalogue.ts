import { clock } from './clock.ts';
import { failingDisk } from './failing-disk.ts';
import type { Fault } from './fault.ts';
import { kill } from './kill.ts';
import { smallDisk } from './small-disk.ts';

/** All faults, in the order in which they run. */
export const catalogue: readonly Fault[] = [
  kill,
  failingDisk('flush-error', 'EIO'),
  failingDisk('disk-full', 'ENOSPC'),
  smallDisk,
  clock,
];

/** Takes as long as it is told to and therefore runs only when it is named. */
export const onlyByName: ReadonlySet<string> = new Set(['soak']);
