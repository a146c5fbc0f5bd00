import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/options.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import { diskRoom } from './disk-room.ts';
import type { Pipeline } from './pipeline.ts';
import { version } from './version.ts';

/** What the state of the whole appliance is read from; each may be absent, then its figures are. */
export interface HouseSources {
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly disk?: Pick<DiskGuard, 'blocked'>;
  readonly config?: Pick<Config, 'dataDir' | 'storage'>;
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
      this.set((disk?.blocked ?? null) === null && pipeline.ingest.stalled === null ? 1 : 0);
    },
  });
  if (config) registerDisk(registry, config);
}

function registerDisk(registry: Registry, config: NonNullable<HouseSources['config']>): void {
  const registers = [registry];
  const size = new Gauge({
    ...{ name: 'tagkeep_disk_size_bytes', help: "Size of the data folder's volume", registers },
  });
  const floor = new Gauge({
    ...{ name: 'tagkeep_disk_floor_bytes', help: 'Nothing is written while less is free', registers },
  });
  const free = new Gauge({
    ...{ name: 'tagkeep_disk_free_bytes', help: 'Free space on it', registers },
    async collect() {
      const room = await diskRoom(config);
      free.set(room.free);
      size.set(room.size);
      floor.set(room.floor);
    },
  });
}
