import { z } from 'zod';
import { timestamp } from './scalars.ts';

const count = z.int().min(0);
const bytes = count;

/** How the appliance fares (extension). */
export const systemHealthSchema = z
  .object({
    version: z.string(),
    startedAt: timestamp,
    uptimeSeconds: count,
    node: z.string().meta({ description: 'Version of Node' }),
    hostname: z.string(),
    ready: z
      .object({ ok: z.boolean(), reasons: z.array(z.string()) })
      .meta({ description: 'As `/readyz` says: whether reads and writes are taken, and why not' }),
    memory: z.object({ rssBytes: bytes, heapBytes: bytes }),
    disk: z
      .object({
        freeBytes: bytes,
        totalBytes: bytes,
        floorBytes: bytes.meta({ description: 'Nothing is written while less is free' }),
      })
      .nullable()
      .meta({ description: "The data folder's volume; null while it can't be looked at" }),
    store: z.object({
      bytes: bytes.nullable().meta({ description: "Size of its file; null while it can't be looked at" }),
      tags: count,
      schemaVersion: count,
    }),
    ingest: z.object({
      readsPerSecond: z.number().min(0).meta({ description: 'Over the last minute' }),
      waiting: count.meta({ description: 'Messages waiting for the disk' }),
      refused: count.meta({ description: 'Messages refused since the start because too many waited' }),
      dropped: count.meta({ description: 'Messages of devices not in service, since the start' }),
    }),
    streams: count.meta({ description: 'Open live streams' }),
    brokerConnections: count.meta({ description: 'Open connections to the broker' }),
    eventLoopLagMs: z
      .object({ p99: z.number().min(0) })
      .meta({ description: 'How late the event loop came to its timers, of the last minute or two' }),
  })
  .meta({ id: 'SystemHealth', description: 'How the appliance fares' });
export type SystemHealth = z.infer<typeof systemHealthSchema>;

/** What the doctor found (extension). */
export const doctorAnswerSchema = z
  .object({
    at: timestamp,
    findings: z.array(
      z.object({
        check: z.string().meta({ description: 'What was looked at: `disk`, `reader.status`' }),
        level: z.enum(['ok', 'note', 'warning', 'fault']),
        text: z.string().meta({ description: 'Whose, where it is of something, and what' }),
        advice: z.string().optional().meta({ description: 'What to do about it' }),
      }),
    ),
  })
  .meta({ id: 'DoctorAnswer', description: 'What the doctor found' });
export type DoctorAnswer = z.infer<typeof doctorAnswerSchema>;

/** The scheduled backups (extension). */
export const backupsAnswerSchema = z
  .object({
    schedule: z
      .object({
        folder: z.string(),
        at: z.string().meta({ description: "`HH:MM` in the appliance's time zone" }),
        everyHours: count,
        keep: count,
        encrypted: z.boolean(),
      })
      .nullable()
      .meta({ description: 'Null: none is configured (`backup.dir`)' }),
    running: z.boolean().meta({ description: 'Whether one is being made, or is about to be' }),
    last: z
      .object({
        at: timestamp.meta({ description: 'Its begin' }),
        ok: z.boolean(),
        file: z.string().optional(),
        bytes: bytes.optional(),
        error: z.string().optional(),
      })
      .nullable()
      .meta({
        description: 'What came of the last one the appliance made by itself or because it was asked',
      }),
    files: z
      .array(z.object({ name: z.string(), bytes, at: timestamp }))
      .meta({ description: 'Backups of this appliance in the folder, newest first, up to 100' }),
    problem: z.string().optional().meta({ description: "Why the folder can't be looked at" }),
  })
  .meta({ id: 'Backups', description: 'The scheduled backups' });
export type BackupsAnswer = z.infer<typeof backupsAnswerSchema>;

/** The answer of POST /system/backups. */
export const backupBegunSchema = z.object({ running: z.literal(true) }).meta({ id: 'BackupBegun' });

/** One option of the configuration in force (extension). */
export const configurationEntrySchema = z
  .object({
    key: z.string(),
    value: z.string().meta({ description: 'Of secrets and their files only `set` or `not set`' }),
    default: z.string(),
    isDefault: z.boolean(),
    help: z.string().meta({ description: 'What it is for, and what is allowed' }),
  })
  .meta({ id: 'ConfigurationEntry', description: 'One option of the configuration in force' });
export type ConfigurationEntry = z.infer<typeof configurationEntrySchema>;

export const systemHealthExample: SystemHealth = {
  version: '1.0.0',
  startedAt: '2026-03-01T05:58:10.000Z',
  uptimeSeconds: 98_247,
  node: 'v24.4.1',
  hostname: 'warehouse-box',
  ready: { ok: true, reasons: [] },
  memory: { rssBytes: 212_000_000, heapBytes: 41_000_000 },
  disk: { freeBytes: 48_000_000_000, totalBytes: 64_000_000_000, floorBytes: 16_777_216 },
  store: { bytes: 96_000_000, tags: 51_300, schemaVersion: 1 },
  ingest: { readsPerSecond: 412.5, waiting: 0, refused: 0, dropped: 0 },
  streams: 3,
  brokerConnections: 4,
  eventLoopLagMs: { p99: 2.1 },
};

export const doctorExample: DoctorAnswer = {
  at: '2026-03-02T09:15:37.412Z',
  findings: [
    { check: 'clock', level: 'ok', text: 'the clock says 2026-03-02T09:15:37.412Z' },
    {
      ...{ check: 'modes', level: 'warning', text: '/srv/tagkeep: has mode 755: other users can get at it' },
      advice: 'run: chmod 700 /srv/tagkeep',
    },
  ],
};

const exampleFile = 'tagkeep-warehouse-box-3fa9c2d1-20260302-020000.tkb';
export const backupsExample: BackupsAnswer = {
  schedule: { folder: '/mnt/backups', at: '02:00', everyHours: 24, keep: 14, encrypted: true },
  running: false,
  last: { at: '2026-03-02T02:00:00.000Z', ok: true, file: exampleFile, bytes: 41_200_332 },
  files: [{ name: exampleFile, bytes: 41_200_332, at: '2026-03-02T02:00:00.000Z' }],
};

export const configurationExample: readonly ConfigurationEntry[] = [
  {
    ...{ key: 'https.port', value: '443', default: '8443', isDefault: false },
    help: 'Port of HTTPS; 0 = any free one (a whole number from 0 to 65535)',
  },
];
