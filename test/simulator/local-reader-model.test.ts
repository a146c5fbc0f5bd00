import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LocalReader, type LocalState } from '../../src/simulator/local-reader.ts';
import { preset } from './local-support.ts';

/** What a reader should be, in the plainest words. */
interface Model {
  readonly presets: Map<string, number>;
  running: { id: string | null; power: number } | null;
  again: string | null;
}

/** The reader under test, and what it told of its radio last. */
interface Real {
  reader: LocalReader;
  radio: number | null;
}

const PRESETS = '/api/v1/profiles/inventory/presets';
const ids = ['one', 'two', 'three'] as const;
const powers = [1000, 2000, 3150] as const;

type Step =
  | { readonly do: 'put'; readonly id: string; readonly power: number }
  | { readonly do: 'delete' | 'start'; readonly id: string }
  | { readonly do: 'transient'; readonly power: number }
  | { readonly do: 'stop' | 'reboot' | 'power cut' };

const id = fc.constantFrom(...ids);
const power = fc.constantFrom(...powers);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), id, power }),
  fc.record({ do: fc.constantFrom('delete' as const, 'start' as const), id }),
  fc.record({ do: fc.constant('transient' as const), power }),
  fc.record({ do: fc.constantFrom('stop' as const, 'reboot' as const, 'power cut' as const) }),
);

function create(real: { radio: number | null }, state?: LocalState): LocalReader {
  const reader = new LocalReader({
    serial: 'R-1',
    now: Date.now,
    ...(state ? { state } : {}),
    onRadio: (running) => {
      real.radio = running?.preset.antennaConfigs[0]?.transmitPowerCdbm ?? null;
    },
  });
  reader.boot();
  return reader;
}

/** What the reader answers; for a loss of power, undefined. */
function act(real: Real, one: Step): number | undefined {
  const ask = (method: string, path: string, body?: unknown) =>
    real.reader.handle({ method, path, body }).status;
  const sent = (power: number) => preset({ transmitPowerCdbm: power }, [1]);
  if (one.do === 'put') return ask('PUT', `${PRESETS}/${one.id}`, sent(one.power));
  if (one.do === 'delete') return ask('DELETE', `${PRESETS}/${one.id}`);
  if (one.do === 'start') return ask('POST', `${PRESETS}/${one.id}/start`);
  if (one.do === 'transient') return ask('POST', '/api/v1/profiles/inventory/start', sent(one.power));
  if (one.do === 'stop') return ask('POST', '/api/v1/profiles/stop');
  if (one.do === 'reboot') real.reader.powerOff();
  real.radio = null;
  real.reader = create(real, JSON.parse(JSON.stringify(real.reader.state())));
  return undefined;
}

function expected(model: Model, one: Step): number | undefined {
  const { presets, running } = model;
  if (one.do === 'put') {
    if (running?.id === one.id) return 409;
    const status = presets.has(one.id) ? 204 : 201;
    presets.set(one.id, one.power);
    return status;
  }
  if (one.do === 'delete') {
    if (!presets.has(one.id)) return 404;
    if (running?.id === one.id) return 409;
    presets.delete(one.id);
    return 204;
  }
  if (one.do === 'start') return startOf(model, one.id);
  if (one.do === 'transient') {
    if (running) return 409;
    model.running = { id: null, power: one.power };
    model.again = null;
    return 204;
  }
  if (one.do === 'stop') {
    model.running = null;
    model.again = null;
    return 204;
  }
  const power = model.again === null ? undefined : presets.get(model.again);
  model.running = power === undefined ? null : { id: model.again, power };
  return undefined;
}

function startOf(model: Model, wanted: string): number {
  const power = model.presets.get(wanted);
  if (power === undefined) return 404;
  if (model.running) return 409;
  model.running = { id: wanted, power };
  model.again = wanted;
  return 204;
}

it('over any sequence of calls, reboots and power cuts the reader is what the documented answers make it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const model: Model = { presets: new Map(), running: null, again: null };
      const real: Real = Object.assign({ radio: null }, { reader: create({ radio: null }) });
      real.reader = create(real);
      for (const one of steps) {
        expect(act(real, one)).toBe(expected(model, one));
        expect(real.radio).toBe(model.running?.power ?? null);
        expect(real.reader.running?.id).toBe(model.running?.id);
        expect(real.reader.state().presets.map((kept) => kept.id)).toEqual([...model.presets.keys()]);
      }
    }),
    { numRuns: 1000 },
  );
});
