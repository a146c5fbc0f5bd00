import { z } from 'zod';
import { timestamp } from './scalars.ts';

const figures = z.array(z.number().nullable());
const health = figures.meta({
  description: 'As the reader last said by then; null: nothing in the three minutes before',
});
const rate = figures.meta({
  description: 'Mean over the minute before; null: before the service started or the reader was claimed',
});

/** What a reader did, minute by minute (extension). */
export const readerActivitySchema = z
  .object({
    at: z
      .array(timestamp)
      .meta({ description: 'Whole minutes, oldest first; every other list has a place for each' }),
    readsPerSecond: rate,
    temperatureC: health,
    cpuPercent: health,
    memoryPercent: health,
    antennas: z.array(z.object({ port: z.int(), readsPerSecond: rate })).meta({ description: 'Every port' }),
  })
  .meta({ id: 'ReaderActivity', description: 'What a reader did in the last minutes (extension)' });
export type ReaderActivity = z.infer<typeof readerActivitySchema>;

export const readerActivityExample: ReaderActivity = {
  at: ['2026-03-02T09:14:00.000Z', '2026-03-02T09:15:00.000Z'],
  readsPerSecond: [181.3, 179.9],
  ...{ temperatureC: [41, 41.5], cpuPercent: [11, 12], memoryPercent: [38, 38] },
  antennas: [
    { port: 1, readsPerSecond: [181.3, 179.9] },
    { port: 2, readsPerSecond: [0, 0] },
    { port: 3, readsPerSecond: [0, 0] },
    { port: 4, readsPerSecond: [0, 0] },
  ],
};
