import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/log/log.ts';
import { type Sweeper, type SweepTask, startSweeper } from '../../src/sweep/sweeper.ts';

const logged: string[] = [];
const log = createLog({ level: 'info', out: { write: (line) => logged.push(line) } });
const started: Sweeper[] = [];

function start(...tasks: SweepTask[]): Sweeper {
  const sweeper = startSweeper(tasks, log);
  started.push(sweeper);
  return sweeper;
}

afterEach(async () => {
  for (const sweeper of started.splice(0)) await sweeper.stop();
  logged.length = 0;
});

describe('the sweeper', () => {
  it('runs every task at its own interval', async () => {
    let quick = 0;
    let slow = 0;
    start(
      { name: 'quick', everyMs: 5, run: () => void quick++ },
      { name: 'slow', everyMs: 60_000, run: () => void slow++ },
    );
    await vi.waitFor(() => expect(quick).toBeGreaterThan(3));
    expect(slow).toBe(0);
  });

  it('never runs a task twice at once, and goes on when the long run is over', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const run = async () => {
      most = Math.max(most, ++running);
      await wait(25);
      running--;
      runs++;
    };
    start({ name: 'long', everyMs: 2, run });
    await vi.waitFor(() => expect(runs).toBeGreaterThan(2));
    expect(most).toBe(1);
  });

  it('a task that hangs keeps no other from running', async () => {
    let release = (): void => undefined;
    let other = 0;
    start(
      { name: 'hanging', everyMs: 2, run: () => new Promise<void>((resolve) => (release = resolve)) },
      { name: 'other', everyMs: 2, run: () => void other++ },
    );
    await vi.waitFor(() => expect(other).toBeGreaterThan(5));
    release();
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken task');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('broken task');
      },
    ],
  ])('a task that %s is logged by name and runs again', async (_, run) => {
    let runs = 0;
    start({
      name: 'broken',
      everyMs: 2,
      run: () => {
        runs++;
        return run();
      },
    });
    await vi.waitFor(() => expect(runs).toBeGreaterThan(2));
    expect(logged[0]).toContain('broken task');
    expect(logged[0]).toContain('"task":"broken"');
  });

  it('stop waits for what is running and starts nothing more', async () => {
    let begun = 0;
    let finished = 0;
    const sweeper = start({
      name: 'task',
      everyMs: 2,
      run: async () => {
        begun++;
        await wait(30);
        finished++;
      },
    });
    await vi.waitFor(() => expect(begun).toBeGreaterThan(0));
    await sweeper.stop();
    expect(finished).toBe(begun);
    const atStop = begun;
    await wait(20);
    expect(begun).toBe(atStop);
  });
});
