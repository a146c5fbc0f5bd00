import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/options.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import { type DiskRoom, diskRoom } from './disk-room.ts';
import type { Pipeline } from './pipeline.ts';
import { version } from './version.ts';

/** What the state of the whole appliance is read from. */
export interface HouseSources {
  readonly pipeline: { readonly ingest: Pick<Pipeline['ingest'], 'stalled'> };
  readonly disk: Pick<DiskGuard, 'blocked'>;
  readonly config: Pick<Config, 'dataDir' | 'storage'>;
}

/** Adds the version, whether the appliance is ready (as `/readyz` says), and the room on its disk. */
export function registerHouse(registry: Registry, { pipeline, disk, config }: HouseSources): void {
  const registers = [registry];
  new Gauge({
    ...{
      name: 'tagkeep_build_info',
      help: '1; the version is in the label',
      labelNames: ['version'],
      registers,
    },
  }).set({ version }, 1);
  new Gauge({
    ...{
      name: 'tagkeep_ready',
      help: '1 while reads and writes are taken; /readyz has the reasons',
      registers,
    },
    collect() {
      this.set(disk.blocked === null && pipeline.ingest.stalled === null ? 1 : 0);
    },
  });
  registerDisk(registry, config);
}

interface DiskFigure {
  readonly name: string;
  readonly help: string;
  readonly read: (room: DiskRoom) => number;
}

const diskFigures: readonly DiskFigure[] = [
  { name: 'size', help: "Size of the data folder's volume", read: ({ size }) => size },
  { name: 'floor', help: 'Nothing is written while less is free', read: ({ floor }) => floor },
  { name: 'free', help: 'Free space on it', read: ({ free }) => free },
];

/** All are of one look. While the volume can't be looked at they are not there, and the other figures are. */
function registerDisk(registry: Registry, config: HouseSources['config']): void {
  let looking: Promise<DiskRoom | null> | null = null;
  const look = (): Promise<DiskRoom | null> => {
    looking ??= diskRoom(config)
      .catch(() => null)
      .finally(() => {
        looking = null;
      });
    return looking;
  };
  for (const { name, help, read } of diskFigures)
    new Gauge({
      ...{ name: `tagkeep_disk_${name}_bytes`, help, registers: [registry] },
      async collect() {
        const room = await look();
        if (room) this.set(read(room));
        else this.remove();
      },
    });
}
