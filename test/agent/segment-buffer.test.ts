import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Batch, SegmentBuffer } from '../../src/agent/segment-buffer.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';

let dir: string;
let told: (string | null)[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-buffer-'));
  told = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (maxBytes = 1024 * 1024, at = dir): SegmentBuffer =>
  new SegmentBuffer({ dir: at, maxBytes, memoryMaxBytes: 4096, onDisk: (problem) => told.push(problem) });
const line = (n: number, length = 20): string => `${String(n).padStart(length - 1, '0')}\n`;
const bytesOnDisk = (): number =>
  readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);

/** Everything that waits, as numbers, delivered on the way. */
function drain(buffer: SegmentBuffer): number[] {
  const numbers: number[] = [];
  for (let batch = buffer.read(100); batch; batch = buffer.read(100)) {
    numbers.push(...batch.text.trim().split('\n').map(Number));
    buffer.delivered(batch);
  }
  return numbers;
}

describe('what waits for the broker', () => {
  it('leaves in order, in whole lines and batches of the size asked for', () => {
    const buffer = open();
    for (let n = 0; n < 12; n++) buffer.append(line(n));
    const batches: Batch[] = [];
    for (let batch = buffer.read(100); batch; batch = buffer.read(100)) batches.push(batch);
    expect(batches.map(({ text }) => text.length)).toEqual([100, 100, 40]);
    expect(batches.map(({ text }) => text).join('')).toBe(
      Array.from({ length: 12 }, (_, n) => line(n)).join(''),
    );
  });

  it('gives a line that is longer than asked for alone', () => {
    const buffer = open();
    buffer.append(line(1, 300) + line(2));
    expect(drain(buffer)).toEqual([1, 2]);
  });

  it('is on disk until it is delivered, and takes no room after', () => {
    const buffer = open();
    buffer.append(line(1));
    const batch = buffer.read(100);
    expect(bytesOnDisk()).toBe(20);
    if (batch) buffer.delivered(batch);
    expect(bytesOnDisk()).toBe(0);
    buffer.append(line(2));
    expect(drain(buffer)).toEqual([2]);
  });

  it('is there again after a kill: all that was not delivered, in order', () => {
    const before = open(40_000);
    for (let n = 0; n < 1500; n++) before.append(line(n));
    const first = before.read(20);
    before.read(20);
    if (first) before.delivered(first);
    expect(drain(open(40_000))).toEqual(Array.from({ length: 1500 }, (_, n) => n));
  });

  it('loses no more than the line that a kill cut off', () => {
    open().append(line(1) + line(2));
    const [name = ''] = readdirSync(dir);
    appendFileSync(join(dir, name), '{"half');
    const buffer = open();
    buffer.append(line(3));
    expect(drain(buffer)).toEqual([1, 2, 3]);
  });

  it('is dropped oldest first when there is too much, and counted with both ends', () => {
    const buffer = open(8000);
    for (let n = 0; n < 1000; n++) buffer.append(line(n));
    expect(bytesOnDisk()).toBeLessThanOrEqual(8000);
    const loss = buffer.takeLoss();
    const left = drain(buffer);
    expect(loss).toMatchObject({ first: line(0).trim(), remaining: left.length });
    expect(Number(loss?.last)).toBe((left[0] ?? 0) - 1);
    expect(left.length + (loss?.purged ?? 0)).toBe(1000);
    expect(left.at(-1)).toBe(999);
    expect(buffer.takeLoss()).toBeNull();
  });

  it('does not count what is on its way as lost', () => {
    const buffer = open(8000);
    buffer.append(line(0));
    const batch = buffer.read(100);
    for (let n = 1; n < 1000; n++) buffer.append(line(n));
    const loss = buffer.takeLoss();
    if (batch) buffer.delivered(batch);
    expect(Number(loss?.first)).toBe(1);
    expect(drain(buffer).length + (loss?.purged ?? 0)).toBe(999);
  });

  it('stays bounded in memory when the folder cannot be had, said once', () => {
    const file = join(dir, 'no-folder');
    writeFileSync(file, '');
    const buffer = open(1024 * 1024, join(file, 'buffer'));
    for (let n = 0; n < 1000; n++) buffer.append(line(n));
    const loss = buffer.takeLoss();
    const left = drain(buffer);
    expect(left.length * 20).toBeLessThanOrEqual(4096);
    expect(left.length + (loss?.purged ?? 0)).toBe(1000);
    expect(told).toEqual([expect.stringContaining('ENOTDIR')]);
  });

  it.runIf(canMount())('survives a full disk, and uses it again when there is room', () => {
    const disk = new SmallDisk('size=64k');
    try {
      const buffer = open(1024 * 1024, join(disk.dir, 'buffer'));
      buffer.append(line(0));
      disk.fill();
      for (let n = 1; n < 400; n++) buffer.append(line(n));
      expect(told).toEqual([expect.stringContaining('ENOSPC')]);
      disk.empty();
      for (let n = 400; n < 800; n++) buffer.append(line(n));
      expect(told.at(-1)).toBeNull();
      const loss = buffer.takeLoss();
      const left = drain(buffer);
      expect(left.length + (loss?.purged ?? 0)).toBe(800);
      expect(left).toEqual([...left].sort((a, b) => a - b));
      buffer.close();
    } finally {
      disk.remove();
    }
  });

  it('is delivered once each and in order whatever is written, read, delivered and restarted in between', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('append' as const), lines: fc.integer({ min: 1, max: 30 }) }),
        fc.record({ kind: fc.constantFrom('read' as const, 'deliver' as const, 'kill' as const) }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (plan) => {
        rmSync(dir, { recursive: true, force: true });
        let buffer = open(64 * 1024);
        let out: Batch[] = [];
        let written = 0;
        const seen = new Set<number>();
        const take = (batch: Batch): void => {
          for (const text of batch.text.trim().split('\n')) seen.add(Number(text));
        };
        for (const step of plan) {
          if (step.kind === 'append') {
            buffer.append(Array.from({ length: step.lines }, () => line(written++)).join(''));
          } else if (step.kind === 'read') {
            const batch = buffer.read(100);
            if (batch) out.push(batch);
          } else if (step.kind === 'deliver') {
            const batch = out.shift();
            if (batch) take(batch);
            if (batch) buffer.delivered(batch);
          } else {
            buffer.close();
            buffer = open(64 * 1024);
            out = [];
          }
        }
        for (const batch of out) take(batch);
        const rest = drain(buffer);
        expect(rest).toEqual([...rest].sort((a, b) => a - b));
        for (const n of rest) seen.add(n);
        expect(seen.size).toBe(written);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps its files to the agent', () => {
    open().append(line(1));
    const [name = ''] = readdirSync(dir);
    expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
    expect(readFileSync(join(dir, name), 'utf8')).toBe(line(1));
  });
});
