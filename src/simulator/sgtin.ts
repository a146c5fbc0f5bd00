import { hashText, unitAt } from '../lib/prng.ts';

const HEADER = 0x30n;
const FILTER_ITEM = 1n;
/** Partition 5: a company prefix of 24 bits (7 digits) and an item reference of 20 bits (6 digits). */
const PARTITION = 5n;
/** The company prefix GS1 keeps for examples: no real product carries it. */
const EXAMPLE_COMPANY = 614141n;
const PRODUCTS = 200;

/** The SGTIN-96 of simulated tag `index` as 24 upper-case hexadecimal digits; distinct for every index of one seed. */
export function sgtinOf(seed: number, index: number): string {
  const product = BigInt(100_000 + Math.floor(unitAt(seed, index, 0) * PRODUCTS));
  // The seed moves the run of serial numbers; 38 bits leave room for every index after any start.
  const serial = BigInt(hashText(`serials ${seed}`)) + BigInt(index);
  const head = (HEADER << 6n) | (FILTER_ITEM << 3n) | PARTITION;
  const bits = (((head << 24n) | EXAMPLE_COMPANY) << 58n) | (product << 38n) | serial;
  return bits.toString(16).toUpperCase();
}
