import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deriveKey } from '../../src/domain/field.ts';
import { typeValue, type Value } from '../../src/domain/value.ts';
import { fieldRoutes } from '../../src/features/fields/field-routes.ts';
import { dataRoutes } from '../../src/features/tags/data-routes.ts';
import { historyRoutes } from '../../src/features/tags/history-routes.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import { type Answer, type House, noon, openHouse, type Tenant } from '../support/house.ts';

let house: House;
let tenant: Tenant;

beforeEach(async () => {
  house = await openHouse({
    more: (parts) => [...fieldRoutes(parts), ...dataRoutes(parts), ...historyRoutes(parts)],
  });
  tenant = await house.tenant('Ours');
});
afterEach(() => house.close());

const EPC = '3034257BF468D480000003E8';

const put = (body: unknown): Promise<Answer> => tenant.call('PUT', `/tags/${EPC}/data`, body);
const get = (): Promise<Answer> => tenant.call('GET', `/tags/${EPC}/data`);
const history = async (query = ''): Promise<Answer['body']> =>
  (await tenant.call('GET', `/tags/${EPC}/history${query}`)).body;

interface Held {
  readonly value: Value;
  readonly since: number;
}

interface Ended extends Held {
  readonly field: string;
  readonly to: number;
}

/** What tags hold and held, kept by the label a field was made with. */
class Model {
  readonly current = new Map<string, Held>();
  ended: Ended[] = [];
  /** By key: the label it was made with. */
  readonly keys = new Map<string, string>();
  #last = Number.NEGATIVE_INFINITY;
  #made = 0;

  put(sent: Readonly<Record<string, string>>, now: number): number {
    const entries = Object.entries(sent).map(([key, text]) => [deriveKey(key), typeValue(text)] as const);
    if (new Set(entries.map(([key]) => key)).size < entries.length) return 400;
    for (const [key, value] of entries)
      if (value !== null && !this.keys.has(key)) this.keys.set(key, `${key}#${this.#made++}`);
    const changed = entries.flatMap(([key, value]) => {
      const field = this.keys.get(key);
      return field !== undefined && (this.current.get(field)?.value ?? null) !== value
        ? [{ field, value }]
        : [];
    });
    if (changed.length > 0) this.#last = Math.max(now, this.#last + 1);
    for (const { field, value } of changed) this.#set(field, value);
    return 200;
  }

  rename(from: string, to: string): number {
    const field = this.keys.get(from);
    if (field === undefined) return 404;
    if (from !== to && this.keys.has(to)) return 409;
    this.keys.delete(from);
    this.keys.set(to, field);
    return 200;
  }

  remove(key: string): number {
    const field = this.keys.get(key);
    if (field === undefined) return 404;
    this.keys.delete(key);
    this.current.delete(field);
    this.ended = this.ended.filter((one) => one.field !== field);
    return 204;
  }

  attributes(): object {
    const held = [...this.keys].flatMap(([key, field]) => {
      const one = this.current.get(field);
      return one ? [[key, one.value] as const] : [];
    });
    return Object.fromEntries(held);
  }

  history(): readonly object[] {
    const keyOf = new Map([...this.keys].map(([key, field]) => [field, key]));
    const now = [...this.current].map(([field, { value, since }]) => ({ field, value, since, to: null }));
    return [...now, ...this.ended].map(({ field, value, since, to }) => ({
      key: keyOf.get(field),
      value,
      validFrom: formatInstant(since),
      ...(to === null ? {} : { validTo: formatInstant(to) }),
    }));
  }

  #set(field: string, value: Value | null): void {
    const was = this.current.get(field);
    if (was) this.ended.push({ ...was, field, to: this.#last });
    if (value === null) this.current.delete(field);
    else this.current.set(field, { value, since: this.#last });
  }
}

type Act =
  | { readonly kind: 'put'; readonly sent: Readonly<Record<string, string>>; readonly now: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly key: string };

const key = fc.constantFrom('a', 'b', 'c');
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      sent: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'A', ' b!'),
        fc.constantFrom('', '1', '1.0', 'x', 'yes'),
        {
          maxKeys: 3,
          noNullPrototype: true,
        },
      ),
      now: fc.integer({ min: noon, max: noon + 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), from: key, to: key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
);

async function perform(act: Act): Promise<number> {
  if (act.kind === 'rename')
    return (await tenant.call('PATCH', `/fields/${act.from}`, { label: act.to.toUpperCase() })).status;
  if (act.kind === 'remove') return (await tenant.call('DELETE', `/fields/${act.key}`)).status;
  house.now = act.now;
  return (await put(act.sent)).status;
}

function expected(model: Model, act: Act): number {
  if (act.kind === 'rename') return model.rename(act.from, act.to);
  return act.kind === 'remove' ? model.remove(act.key) : model.put(act.sent, act.now);
}

test('writes, renames and deletions in any order leave the values and history of a plain model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 15 }), async (steps) => {
      tenant = await house.tenant('Another');
      const model = new Model();
      for (const act of steps) {
        expect(await perform(act), JSON.stringify(act)).toBe(expected(model, act));
        expect((await get()).body.attributes).toEqual(model.attributes());
      }
      const told = await history();
      expect(told).toHaveLength(model.history().length);
      expect(told).toEqual(expect.arrayContaining([...model.history()]));
      const times = told.map(({ validFrom }: { validFrom: string }) => validFrom);
      expect(times).toEqual(times.toSorted().toReversed());
    }),
    { numRuns: 40 },
  );
});
