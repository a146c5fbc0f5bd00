import { randomUUID } from 'node:crypto';
import { addField } from '../../src/store/fields.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { epcOf } from './fleet.ts';
import type { Site } from './seed.ts';

const SLICE = 4000;
const products = ['Pallet', 'Crate', 'Drum', 'Roll cage', 'Steel box', 'Carton', 'Barrel', 'Keg'];
const customers = ['Nordwind', 'Baltic Foods', 'Kranich', 'Ostsee Werft', 'Hansa Tools', 'Alster Print'];

/** The five fields every tag has, and what they say of a tag. */
export const benchFields = [
  { label: 'Name', dataType: 'text', valueOf: (tag: number) => `${products[tag % 8]} ${tag}` },
  { label: 'Customer', dataType: 'text', valueOf: (tag: number) => customers[tag % 6] ?? '' },
  { label: 'Weight', dataType: 'number', valueOf: (tag: number) => ((tag * 7919) % 100_000) / 100 },
  { label: 'Fragile', dataType: 'boolean', valueOf: (tag: number) => tag % 3 === 0 },
  { label: 'Lot', dataType: 'text', valueOf: (tag: number) => `L-${(tag * 2_654_435_761) % 4_294_967_296}` },
] as const;

/** Gives every tag of a site, numbered from 1 to `count`, its values. Written in the store's own form, slice by slice. */
export async function addTagData(site: Site, count: number): Promise<void> {
  const store = openStore(site.dataDir);
  try {
    const numbers = await addFields(store);
    const at = Date.now();
    for (let from = 1; from <= count; from += SLICE) {
      await store.write((tx) => {
        for (let tagNo = from; tagNo <= Math.min(count, from + SLICE - 1); tagNo++) {
          const values = numbers.map((no, nth) => [no, benchFields[nth]?.valueOf(tagNo) ?? '']);
          tx.put(tables.tagData, tagNo, { at, values: Object.fromEntries(values) });
        }
      });
    }
  } finally {
    await store.close();
  }
}

async function addFields(store: Store): Promise<readonly number[]> {
  return store.write((tx) => {
    const [org] = [...tx.range(tables.orgs)];
    if (!org) throw new Error('no organisation');
    return benchFields.map(({ label, dataType }) => {
      const field = { id: randomUUID(), key: label.toLowerCase(), label, dataType };
      return addField(tx, org.key, field).no;
    });
  });
}

/** A CSV file of `rows` rows and ten columns besides the EPC: half of the rows are of known tags, half of new ones. */
export function importFile(rows: number, knownTags: number): string {
  const columns = Array.from({ length: 10 }, (_, nth) => `Column ${nth + 1}`);
  const lines = Array.from({ length: rows }, (_, row) => {
    const tag = row % 2 === 0 ? (row * 5) % knownTags : knownTags + row;
    const cells = columns.map((_, nth) => (nth % 3 === 0 ? row * nth : `value ${row} of ${nth}`));
    return [epcOf(tag), ...cells].join(',');
  });
  return `epc,${columns.join(',')}\n${lines.join('\n')}\n`;
}
