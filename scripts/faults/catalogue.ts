import { clock } from './clock.ts';
import { failingDisk } from './failing-disk.ts';
import type { Fault } from './fault.ts';
import { idleSockets } from './idle-sockets.ts';
import { kill } from './kill.ts';
import { slowHttp } from './slow-http.ts';
import { smallDisk } from './small-disk.ts';
import { soak } from './soak.ts';
import { stoppedConsumers } from './stopped-consumers.ts';
import { storm } from './storm.ts';

/** All faults, in the order in which they run. */
export const catalogue: readonly Fault[] = [
  kill,
  failingDisk('flush-error', 'EIO'),
  failingDisk('disk-full', 'ENOSPC'),
  smallDisk,
  clock,
  idleSockets,
  slowHttp,
  stoppedConsumers,
  storm,
  soak,
];

/** Takes as long as it is told to and therefore runs only when it is named. */
export const onlyByName: ReadonlySet<string> = new Set(['soak']);
