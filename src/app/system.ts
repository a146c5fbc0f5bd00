import type { Config } from '../config/options.ts';
import type { ApplianceSystem } from '../features/system/appliance-system.ts';
import { BackupList } from './backup-list.ts';
import type { BackupSchedule } from './backup-schedule.ts';
import { DoctorDesk } from './doctor-desk.ts';
import { configurationEntries } from './shown-config.ts';
import { type HealthSources, HealthWatch } from './system-health.ts';

export interface SystemOptions extends HealthSources {
  readonly config: Config;
  /** As `serve` was told; absent: found as every command finds it. */
  readonly configFile?: string | undefined;
  /** Starts this program: the command without its arguments. */
  readonly program: readonly string[];
  readonly backups: BackupSchedule;
}

/** What the system's routes are served from. */
export interface System extends ApplianceSystem {
  /** Ends what watches, and a doctor at work. */
  close(): Promise<void>;
}

/** Puts together what the appliance tells of itself. */
export function createSystem(options: SystemOptions): System {
  const { config, configFile, program, backups } = options;
  const health = new HealthWatch(options);
  const doctor = new DoctorDesk({ config, configFile, program });
  const list = new BackupList({ config, schedule: backups, now: options.now });
  const configuration = configurationEntries(config, configFile);
  return {
    health: () => health.look(),
    doctor: () => doctor.report(),
    configuration: () => configuration,
    backups: {
      hasFolder: config.backup.dir !== null,
      isRunning: () => backups.isRunning,
      tell: () => list.tell(),
      begin: () => backups.begin(),
    },
    close: async () => {
      health.stop();
      await doctor.stop();
    },
  };
}
