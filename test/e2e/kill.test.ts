import { afterAll, beforeAll, expect, test } from 'vitest';
import { LoadedHouse } from '../support/loaded-house.ts';

const ROUNDS = 3;

let house: LoadedHouse;

beforeAll(async () => {
  house = await LoadedHouse.open(3, 1);
});
afterAll(() => house?.close());

test(`kill -9 under load, ${ROUNDS} times: every acknowledged read is in the store, nothing is there twice, the inventory adds up`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { faults, unanswered, acknowledged } = await house.killRound();
    expect(faults).toEqual([]);
    expect(unanswered).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(200);
  }
}, 60_000);
