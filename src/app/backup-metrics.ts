import { Counter, Gauge, type Registry } from 'prom-client';
import type { BackupFigures } from './backup-schedule.ts';

/** Adds how the scheduled backups fare. The series are there without a schedule too, so that alert rules find them. */
export function registerBackups(registry: Registry, figures: () => BackupFigures): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      ...{ name: `tagkeep_backup_${name}`, help, registers: [registry] },
      collect() {
        this.set(read());
      },
    });
  };
  gauge(
    'interval_seconds',
    'Time from one scheduled backup to the next; 0: none are scheduled',
    () => figures().intervalSeconds,
  );
  gauge(
    'last_success_timestamp_seconds',
    'When the newest backup in backup.dir was begun; 0: there is none',
    () => (figures().lastSuccessAt ?? 0) / 1000,
  );
  gauge(
    'last_duration_seconds',
    'How long the last scheduled backup took',
    () => figures().last?.seconds ?? 0,
  );
  gauge(
    'last_size_bytes',
    'Size of the last scheduled backup; 0: it failed',
    () => figures().last?.bytes ?? 0,
  );
  let shown = 0;
  new Counter({
    name: 'tagkeep_backup_failures_total',
    help: 'Scheduled backups that failed; the log and tagkeep doctor say why',
    registers: [registry],
    collect() {
      const { failures } = figures();
      this.inc(failures - shown);
      shown = failures;
    },
  });
}
