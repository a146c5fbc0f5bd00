import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ack, AgentCommand } from '../../src/agent/agent-command.ts';
import { until } from '../support/wait.ts';
import { answered, away, MemoryReader } from './memory-reader.ts';
import { Bench, push, settings, start, stop, uuid } from './runner-bench.ts';

const ok = (n: number, status: string): Ack => ({ id: uuid(n), ok: true, error: null, status });
const failed = (n: number, error: string): Ack => ({ id: uuid(n), ok: false, error, status: null });

describe('start and stop', () => {
  it('start the preset by its name and stop it, and are answered with what the reader does', async () => {
    const bench = new Bench();
    await bench.given(start(1));
    expect(bench.reader.running).toBe('svc-default');
    await bench.given(stop(2));
    expect(bench.reader.running).toBeNull();
    expect(bench.acks).toEqual([ok(1, 'started'), ok(2, 'stopped')]);
  });

  it('count as done when the reader does it already', async () => {
    const bench = new Bench();
    await bench.given(stop(1));
    await bench.given(start(2));
    await bench.given(start(3));
    expect(bench.acks).toEqual([ok(1, 'stopped'), ok(2, 'started'), ok(3, 'started')]);
  });

  it('stop another preset that runs before they start theirs', async () => {
    const bench = new Bench();
    await bench.given(start(1, 'default'));
    await bench.given(start(2));
    expect(bench.reader.running).toBe('svc-default');
    expect(bench.acks.at(-1)).toEqual(ok(2, 'started'));
  });

  it('are refused in the words of the contract when the preset is missing or the credentials are wrong', async () => {
    const bench = new Bench();
    await bench.given(start(1, 'nobody-made-this'));
    bench.reader.fate = () => answered(401, { message: 'Unauthorized' });
    await bench.given(start(2));
    await bench.given(stop(3));
    const denied = 'permission denied (wrong reader REST credentials)';
    expect(bench.acks).toEqual([failed(1, 'preset not found'), failed(2, denied), failed(3, denied)]);
  });

  it("are refused in the reader's own words otherwise", async () => {
    const bench = new Bench();
    bench.reader.fate = (call) =>
      call.endsWith('/start')
        ? answered(400, { message: 'LLRP mode', detail: 'set rest\nfirst' })
        : undefined;
    await bench.given(start(1));
    expect(bench.acks).toEqual([failed(1, 'LLRP mode: set rest first')]);
  });

  it('wait for a reader that is still stopping, and give up in its words after a while', async () => {
    const bench = new Bench();
    let busy = 3;
    bench.reader.fate = (call) =>
      call.endsWith('/start') && busy-- > 0
        ? answered(409, { message: 'Another reader operation is running' })
        : undefined;
    await bench.given(start(1));
    busy = Number.POSITIVE_INFINITY;
    await bench.given(stop(2));
    await bench.given(start(3));
    const words = 'Another reader operation is running';
    expect(bench.acks).toEqual([ok(1, 'started'), ok(2, 'stopped'), failed(3, words)]);
  });

  it('are tried again while the reader is away, 0.5 s to 5 s apart, and answered once', async () => {
    const bench = new Bench();
    let failures = 6;
    bench.reader.fate = () => (failures-- > 0 ? away : undefined);
    await bench.given(start(1));
    expect(bench.acks).toEqual([ok(1, 'started')]);
    expect(bench.delays).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
    expect(bench.lines.filter((line) => line.includes('trying again'))).toHaveLength(1);
  });

  it('are answered as done when only the answer of the reader was lost', async () => {
    const bench = new Bench();
    let losses = 1;
    bench.reader.fate = (call) => (call.endsWith('/start') && losses-- > 0 ? 'lost' : undefined);
    await bench.given(start(1));
    expect(bench.acks).toEqual([ok(1, 'started')]);
    expect(bench.reader.running).toBe('svc-default');
  });

  it('make an older one pointless that still waits, which is not answered', async () => {
    const bench = new Bench();
    bench.reader.fate = () => away;
    bench.delay = () => new Promise(() => {});
    for (const command of [start(1), stop(2), start(3), stop(4)]) bench.runner.take(command);
    await until('an attempt', () => bench.reader.calls.length > 0);
    bench.reader.fate = () => undefined;
    await bench.given(stop(5));
    expect(bench.acks).toEqual([ok(5, 'stopped')]);
  });

  it('are not taken twice while they are in hand', async () => {
    const bench = new Bench();
    bench.runner.take(start(1));
    bench.runner.take(start(1));
    await bench.rest();
    expect(bench.acks).toEqual([ok(1, 'started')]);
  });
});

describe('settings', () => {
  it("become the reader's svc-default with its rfMode, and a radio that was on is on again", async () => {
    const bench = new Bench();
    await bench.given(start(1));
    await bench.given(push(2));
    const [first] = settings().antennaConfigs;
    expect(bench.reader.has('svc-default')).toMatchObject({
      antennaConfigs: [{ ...first, rfMode: 1002 }, {}],
    });
    expect(bench.reader.running).toBe('svc-default');
    expect(bench.acks.at(-1)).toEqual(ok(2, 'configured'));
  });

  it('leave a radio off that is off', async () => {
    const bench = new Bench();
    await bench.given(push(1));
    expect(bench.reader.running).toBeNull();
    expect(bench.reader.calls).not.toContain('POST /profiles/stop');
  });

  it('that are there already change nothing', async () => {
    const bench = new Bench();
    await bench.given(push(1), start(2));
    const before = bench.reader.calls.length;
    await bench.given(push(3));
    const calls = bench.reader.calls.slice(before);
    expect(calls.filter((call) => call.startsWith('PUT') || call.endsWith('/stop'))).toEqual([]);
    expect(bench.acks.at(-1)).toEqual(ok(3, 'configured'));
  });

  it("are refused in the reader's words, and a radio that was stopped for them runs on with the old ones", async () => {
    const bench = new Bench();
    await bench.given(start(1));
    let turns = 0;
    bench.reader.fate = (call) => {
      if (!call.startsWith('PUT')) return undefined;
      turns += 1;
      return turns === 1 ? undefined : answered(400, { message: 'Invalid', detail: 'power' });
    };
    await bench.given(push(2));
    expect(bench.acks.at(-1)).toEqual(failed(2, 'Invalid: power'));
    expect(bench.reader.running).toBe('svc-default');
  });

  it('do not hold up a stop while the reader takes nothing of them', async () => {
    const bench = new Bench();
    await bench.given(start(1));
    bench.reader.fate = (call) => (call.startsWith('PUT') ? away : undefined);
    bench.runner.take(push(2));
    bench.runner.take(stop(3));
    await until('the stop', () => bench.acks.some(({ id }) => id === uuid(3)));
    expect(bench.reader.running).toBeNull();
    bench.reader.fate = () => undefined;
    await bench.rest();
    expect(bench.acks.at(-1)).toEqual(ok(2, 'configured'));
    expect(bench.reader.running).toBeNull();
  });

  it('end with the radio on when the agent died between stopping it and starting it again', async () => {
    const reader = new MemoryReader();
    reader.reader.handle({ method: 'POST', path: '/api/v1/profiles/inventory/presets/default/start' });
    const bench = new Bench(reader);
    await bench.given(push(1));
    reader.stop();
    await bench.given();
    // Started by hand on the reader, so that nothing but the note on disk tells that it is to run.
    await reader.start('svc-default');
    reader.fate = (call) => (call.startsWith('PUT') && reader.running === null ? away : undefined);
    bench.runner.take(push(2, settings(2500)));
    await until(
      'the radio to be stopped',
      () => bench.remembered.resume === 'svc-default' && !reader.running,
    );
    bench.restart();
    reader.fate = () => undefined;
    bench.runner.reconcile();
    await bench.rest();
    expect(reader.running).toBe('svc-default');
    expect(bench.remembered.resume).toBeNull();
  });
});

describe('a reader that comes back', () => {
  it('has svc-default: the settings sent last, else what the contract says', async () => {
    const bench = new Bench();
    bench.runner.reconcile();
    await bench.rest();
    const antennas = Array.from({ length: 4 }, (_, at) => ({
      ...{ antennaPort: at + 1, transmitPowerCdbm: 3150, inventorySession: 2, rfMode: 1002 },
    }));
    expect(bench.reader.has('svc-default')).toMatchObject({ antennaConfigs: antennas });
    expect(bench.reader.running).toBeNull();

    const factoryReset = new Bench(new MemoryReader(), { preset: settings(1500), resume: null });
    await factoryReset.given(start(1));
    const held = factoryReset.reader.has('svc-default');
    expect(held).toMatchObject({ antennaConfigs: [{ transmitPowerCdbm: 1500 }, {}] });
  });

  it('does again what was asked for last', async () => {
    const bench = new Bench();
    await bench.given(start(1));
    await bench.reader.stop();
    bench.reader.powerCycle();
    bench.runner.reconcile();
    await bench.rest();
    expect(bench.reader.running).toBe('svc-default');
    await bench.given(stop(2));
    await bench.reader.start('svc-default');
    bench.runner.reconcile();
    await bench.rest();
    expect(bench.reader.running).toBeNull();
  });

  it('is left alone when nothing was asked for', async () => {
    const bench = new Bench();
    await bench.reader.start('default');
    bench.runner.reconcile();
    await bench.rest();
    expect(bench.reader.running).toBe('default');
    expect(bench.acks).toEqual([]);
  });

  it('gets svc-default again when somebody removed it', async () => {
    const bench = new Bench();
    await bench.given(start(1), stop(2));
    await bench.given(stop(3));
    bench.reader.reader.handle({
      method: 'DELETE',
      path: '/api/v1/profiles/inventory/presets/svc-default',
    });
    await bench.given(start(4));
    expect(bench.acks.at(-1)).toEqual(ok(4, 'started'));
  });
});

/** What was asked for last. */
interface Last {
  desired?: AgentCommand;
  pushed?: AgentCommand;
}

describe('commands in any order, with a reader that fails at random', () => {
  const step = fc.constantFrom('start', 'stop', 'push', 'reconcile', 'power', 'kill', 'rest');

  it('end in the state asked for last, which is answered as done', async () => {
    const plans = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 25 }),
      fates: fc.array(fc.constantFrom('ok', 'ok', 'away', 'lost', 'slow'), { maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(plans, (plan) => play(plan)),
      { numRuns: 300 },
    );
  });

  async function play(plan: { steps: readonly string[]; fates: readonly string[] }): Promise<void> {
    const fates = [...plan.fates];
    const bench = new Bench();
    bench.reader.fate = () => {
      const fate = fates.shift();
      return fate === 'away' ? away : fate === 'lost' ? 'lost' : undefined;
    };
    bench.reader.pause = async () => {
      if (fates[0] === 'slow') await new Promise((resolve) => setImmediate(resolve));
    };
    const last: Last = {};
    for (const [n, kind] of plan.steps.entries()) await playStep(bench, last, { n, kind });
    await bench.rest();
    checkEnd(bench, last);
    await bench.runner.stop();
  }

  async function playStep(bench: Bench, last: Last, { n, kind }: { n: number; kind: string }): Promise<void> {
    if (kind === 'start' || kind === 'stop') {
      last.desired = kind === 'start' ? start(n) : stop(n);
      bench.runner.take(last.desired);
    } else if (kind === 'push') {
      last.pushed = push(n, settings(1000 + n * 25));
      bench.runner.take(last.pushed);
    } else if (kind === 'rest') {
      await bench.rest();
    } else {
      if (kind === 'power') bench.reader.powerCycle();
      if (kind === 'kill') bench.restart();
      bench.runner.reconcile();
      // As the broker and the service do when an agent is back.
      if (kind === 'kill') for (const one of Object.values(last)) bench.runner.take(one);
    }
  }

  function checkEnd(bench: Bench, last: Last): void {
    const { desired, pushed } = last;
    const trace = JSON.stringify({ acks: bench.acks, lines: bench.lines });
    if (desired) expect(bench.reader.running, trace).toBe(desired.kind === 'start' ? 'svc-default' : null);
    for (const command of [desired, pushed]) {
      const answers = bench.acks.filter(({ id }) => id === command?.id);
      if (command) expect(answers.at(-1)?.ok, trace).toBe(true);
    }
    if (pushed?.kind !== 'push-config') return;
    const [power] = pushed.preset.antennaConfigs.map(({ transmitPowerCdbm }) => transmitPowerCdbm);
    expect(bench.reader.has('svc-default')).toMatchObject({
      antennaConfigs: [{ transmitPowerCdbm: power }, {}],
    });
  }
});
