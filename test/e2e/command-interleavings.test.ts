import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ack } from '../../src/agent/agent-command.ts';
import { presetOf } from '../../src/domain/preset.ts';
import { CommandLoop } from '../support/command-loop.ts';

const RUNS = Number(process.env.INTERLEAVINGS ?? 1000);

/** Runs in one house: every start of the service goes through the commands of all the runs before. */
const RUNS_PER_HOUSE = 20;

/** What people have asked for last: all that the end state may depend on. */
interface Wished {
  enabled: boolean;
  ports: boolean[];
}

type Step = fc.AsyncCommand<Wished, CommandLoop>;

let loop: CommandLoop;
let runsInHouse = 0;
beforeAll(async () => {
  loop = await CommandLoop.open();
});
afterAll(() => loop.close());

function step(name: string, run: (real: CommandLoop, wished: Wished) => Promise<void> | void): Step {
  return {
    check: () => true,
    run: async (wished, real) => {
      await run(real, wished);
    },
    toString: () => name,
  };
}

const patch = (enabled: boolean): Step => ({
  ...step(`PATCH ${enabled}`, async (real, wished) => {
    if (!real.service.alive) return;
    const startable = !enabled || wished.ports.includes(true);
    expect(await real.patch(enabled)).toBe(startable ? 200 : 409);
    if (startable) wished.enabled = enabled;
  }),
});

const antennas = (ports: readonly boolean[], power: number): Step =>
  step(`PUT antennas ${ports.map(Number).join('')} at ${power}`, async (real, wished) => {
    if (!real.service.alive) return;
    await real.antennas(ports.map((enabled, at) => ({ port: at + 1, enabled, transmitPowerCdbm: power })));
    wished.ports = [...ports];
  });

const lateOrFalse = (nth: number): Step =>
  step(`answer ${nth} again`, (real) => {
    const ack: Ack = real.said[nth % Math.max(1, real.said.length)] ?? {
      ...{ id: randomUUID(), ok: nth % 2 === 0, error: null, status: null },
    };
    return real.repeat(ack);
  });

/** Some of what waits goes on, mostly the oldest. */
function goOn([nth, times]: readonly [number, number]): Step {
  return step(`go on ${nth}, ${times} times`, async (real) => {
    for (let done = 0; done < times; done++) {
      real.gates.open(done === 0 ? nth : 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}

const steps = [
  fc.boolean().map(patch),
  fc.boolean().map(patch),
  fc
    .tuple(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), fc.constantFrom(1000, 2412, 3000))
    .map(([ports, power]) => antennas(ports, power)),
  ...Array.from({ length: 8 }, () => fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 8 })).map(goOn)),
  fc.constant(step('the agent is killed', (real) => real.killAgent())),
  fc.constant(step('the agent starts', (real) => real.startAgent())),
  fc.constant(step('the connection breaks', (real) => real.disconnect())),
  fc.constant(step('the connection is back', (real) => real.connect())),
  fc.constant(step('the reader loses power', (real) => real.killReader())),
  fc.constant(step('the reader boots', (real) => real.bootReader())),
  fc.constant(step('the service is killed', (real) => real.killService())),
  fc.constant(step('the service starts', (real) => real.startService())),
  fc.constant(step('31 s pass', (real) => real.timeOut())),
  fc.constant(step('a second passes', (real) => real.sweep())),
  fc.nat(10).map(lateOrFalse),
];

/** A new reader, now and then in a new house. */
async function begin(): Promise<void> {
  if (runsInHouse++ === RUNS_PER_HOUSE) {
    runsInHouse = 1;
    await loop.close();
    loop = await CommandLoop.open();
  }
  await loop.reset();
}

/** Whatever happened, everything comes back and is left alone for a while. */
async function recover(real: CommandLoop): Promise<void> {
  if (!real.service.alive) await real.startService();
  if (!real.reader) real.bootReader();
  if (!real.agent) await real.startAgent();
  await real.connect();
  for (let round = 0; round < 3; round++) {
    await real.sweep();
    await real.settle();
  }
}

describe('start, stop and settings, whatever is killed in between', () => {
  test(`${RUNS} random interleavings: the reader ends as it was last told, and the interface says so`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { size: 'max', maxCommands: 60 }), async (commands) => {
        await begin();
        const wished: Wished = { enabled: true, ports: [true, true, true, true] };
        await fc.asyncModelRun(() => ({ model: wished, real: loop }), commands);
        await recover(loop);
        await expectAsWished(wished);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 600_000);
});

async function expectAsWished({ enabled, ports }: Wished): Promise<void> {
  const shown = await loop.shown();
  const runs = enabled && ports.includes(true);
  expect(loop.reader?.running?.id ?? null).toBe(runs ? 'svc-default' : null);
  expect(shown.enabled).toBe(enabled);
  expect(shown.lastCommand).toMatchObject({ kind: runs ? 'start' : 'stop', state: 'applied' });
  await expectSettings(ports.includes(true), shown.lastSettings);
  const listed = await loop.listed();
  const open = listed.filter(({ state }: { state: string }) => state === 'pending' || state === 'published');
  expect(open).toEqual([]);
}

/** With a port on the reader has just what the interface shows; with none it keeps what it had. */
async function expectSettings(isAnyOn: boolean, last: { state: string } | undefined): Promise<void> {
  if (!isAnyOn) return;
  expect(last).toMatchObject({ state: 'applied' });
  // The shape is the interface's own.
  const antennas = (await loop.antennaConfigs()) as Parameters<typeof presetOf>[0];
  const path = '/api/v1/profiles/inventory/presets/svc-default';
  const held = loop.reader?.handle({ method: 'GET', path })?.body;
  expect(held).toMatchObject(JSON.parse(JSON.stringify(presetOf(antennas))));
}
