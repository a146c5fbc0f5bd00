import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Examination, HealthCheck } from '../../src/agent/health.ts';
import type { LocalAnswer } from '../../src/agent/local-reader.ts';
import { machineLoad } from '../../src/agent/machine.ts';
import { Pulse } from '../../src/agent/pulse.ts';
import { healthSchema } from '../../src/contract/payloads.ts';
import { until } from '../support/wait.ts';
import { answered, away } from './memory-reader.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-proc-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function proc(
  cpu: string,
  meminfo = 'MemTotal:  1000 kB\nMemFree:   10 kB\nMemAvailable:   250 kB\n',
): string {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'stat'), `cpu  ${cpu}\ncpu0 1 1 1 1\n`);
  writeFileSync(join(dir, 'meminfo'), meminfo);
  return dir;
}

describe('the load of the machine', () => {
  it('is what was not idle since the last look, and memory that is not available', () => {
    const load = machineLoad(proc('100 0 100 700 100 0 0 0 0 0'));
    expect(load.cpuPercent()).toBeNull();
    proc('150 0 125 750 175 0 0 0 0 0');
    expect(load.cpuPercent()).toBe(37.5);
    expect(load.memoryPercent()).toBe(75);
  });

  it.each([['cpu'], ['']])('is unknown when it cannot be read: "%s"', (text) => {
    writeFileSync(join(dir, 'stat'), text);
    const load = machineLoad(dir);
    expect([load.cpuPercent(), load.cpuPercent(), load.memoryPercent()]).toEqual([null, null, null]);
  });

  it('is read from the real /proc', () => {
    const percent = machineLoad().memoryPercent() ?? -1;
    expect(percent).toBeGreaterThan(0);
    expect(percent).toBeLessThan(100);
  });
});

class Answers {
  readonly asked: string[] = [];
  clock = 0;
  paths: Record<string, LocalAnswer> = {};

  check(): HealthCheck {
    const get = async (path: string): Promise<LocalAnswer> => {
      this.asked.push(path);
      return this.paths[path] ?? answered(404);
    };
    const load = { cpuPercent: () => 12.5, memoryPercent: () => null };
    return new HealthCheck({
      ...{ reader: { get, status: () => get('/status') }, load, serial: 'S-1', agentVersion: '1.2.3.4' },
      ...{ now: () => Date.parse('2026-03-02T09:15:37.412Z'), monotonic: () => this.clock },
    });
  }
}

describe('a look at the reader', () => {
  const own = {
    type: 'health',
    at: '2026-03-02T09:15:37.412Z',
    serial: 'S-1',
    agentVersion: '1.2.3.4',
    cpuPercent: 12.5,
  };

  it('leaves out what the reader does not have', async () => {
    const reader = new Answers();
    reader.paths = {
      '/status': answered(200, { status: 'idle' }),
      '/system': answered(200, { productModel: 7 }),
    };
    const { health, isAway } = await reader.check().examine();
    expect(isAway).toBe(false);
    expect(JSON.parse(JSON.stringify(health))).toEqual({ ...own, radio: 'idle' });
    expect(healthSchema.safeParse(JSON.parse(JSON.stringify(health))).success).toBe(true);
  });

  it.each(['running', 'armed', 'idle'])('tells the radio is %s', async (status) => {
    const reader = new Answers();
    reader.paths = { '/status': answered(200, { status, activePreset: { id: 'p', profile: 'inventory' } }) };
    expect((await reader.check().examine()).health).toMatchObject({ radio: status, preset: 'p' });
  });

  it.each(['starting', 'stopping', 7])('claims nothing of a radio that is %s', async (status) => {
    const reader = new Answers();
    reader.paths = { '/status': answered(200, { status }) };
    expect((await reader.check().examine()).health.radio).toBeUndefined();
  });

  it('asks a reader that is away nothing further', async () => {
    const reader = new Answers();
    reader.paths = { '/status': away };
    const { health, isAway } = await reader.check().examine();
    expect(isAway).toBe(true);
    expect(reader.asked).toEqual(['/status']);
    expect(JSON.parse(JSON.stringify(health))).toEqual(own);
  });

  it('sees that the reader has started anew by how long it is up', async () => {
    const reader = new Answers();
    const check = reader.check();
    const seen: boolean[] = [];
    for (const [clock, upTime] of [
      [0, 100],
      [30_000, 130],
      [60_000, 158],
      [90_000, 20],
      [120_000, 50],
      // Up longer than before, and yet not long enough.
      [180_000, 60],
    ] as const) {
      reader.clock = clock;
      reader.paths = {
        '/status': answered(200, { status: 'idle' }),
        '/system/time': answered(200, { upTime }),
      };
      seen.push((await check.examine()).hasRestarted);
    }
    expect(seen).toEqual([false, false, false, true, false, true]);
  });
});

describe('the pulse of the agent', () => {
  const health = { type: 'health' as const };
  const fine: Examination = { health, isAway: false, hasRestarted: false };

  function beating(options: { examine: () => Promise<Examination>; everyMs?: number }) {
    const sent: { text: string; done: () => void }[] = [];
    const returns: number[] = [];
    const pulse = new Pulse({
      ...{ everyMs: 60_000, whileAwayMs: 5, ...options },
      send: (text, done) => sent.push({ text, done }),
      takesCommands: () => true,
      onReturn: () => returns.push(sent.length),
      onRadio: () => {},
      log: () => {},
    });
    return { pulse, sent, returns };
  }

  it('sends nothing new before the last message is out, and then at once', async () => {
    let looks = 0;
    const { pulse, sent } = beating({
      everyMs: 5,
      examine: async () => {
        looks += 1;
        return fine;
      },
    });
    pulse.beat();
    await until('a few looks', () => looks > 5);
    expect(sent).toHaveLength(1);
    expect(JSON.parse(sent[0]?.text ?? '')).toEqual({ type: 'health', commands: true });
    sent[0]?.done();
    await until('the next', () => sent.length === 2);
    await pulse.stop();
  });

  it('tells once that the reader is there, is back, or has started anew, and looks more often while it is away', async () => {
    const looks: Examination[] = [fine, fine];
    const { pulse, returns } = beating({ examine: async () => looks.shift() ?? fine });
    pulse.beat();
    await until('the first look', () => returns.length === 1);
    pulse.beat();
    await until('the second', () => looks.length === 0);
    expect(returns).toHaveLength(1);
    looks.push({ ...fine, isAway: true }, { ...fine, isAway: true }, fine);
    pulse.beat();
    await until('the return', () => returns.length === 2);
    looks.push({ ...fine, hasRestarted: true });
    pulse.beat();
    await until('the restart', () => returns.length === 3);
    await pulse.stop();
  });

  it('does not repeat at every look that the reader is away', async () => {
    let looks = 0;
    const { pulse, sent } = beating({
      examine: async () => {
        looks += 1;
        return { ...fine, isAway: true };
      },
    });
    pulse.beat();
    await until('a first message', () => sent.length === 1);
    sent[0]?.done();
    await until('more looks', () => looks > 5);
    expect(sent).toHaveLength(1);
    await pulse.stop();
  });

  it('survives a look that fails', async () => {
    let looks = 0;
    const { pulse, sent } = beating({
      examine: async () => {
        looks += 1;
        if (looks === 1) throw new Error('a fault');
        return fine;
      },
    });
    pulse.beat();
    await until('a message', () => sent.length === 1);
    await pulse.stop();
  });
});
