import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrossReads } from '../../src/contract/radio.ts';
import { checkAxe } from '../support/browser.ts';
import { checkNarrow, HubHouse, phone } from '../support/hub-house.ts';
import { until } from '../support/wait.ts';

// Two stand-in readers whose antennas overhear each other.
const house = new HubHouse({ args: ['--demo'] });

beforeAll(async () => {
  await house.start();
  const heard = () => house.rest.get<CrossReads>('/radio/cross-reads?seconds=300');
  await until('tags heard in both', async () => (await heard()).pairs.length > 0, 30_000);
}, 90_000);
afterAll(() => house.dispose());

describe('radio', () => {
  test('antennas, what two zones hear, and a policy that is tried, used and undone', async () => {
    const { page, leave } = await house.open('/radio');
    const antennas = page.getByRole('table', { name: 'Virtual reader 1' });
    await antennas
      .getByRole('img', { name: /Most signals from/ })
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /tags heard in both/ })
      .first()
      .click({ timeout: 30_000 });
    const pair = page.getByRole('dialog');
    await pair.getByText('What to do').waitFor();
    expect(new URL(page.url()).searchParams.get('pair')).toMatch(/~/);
    await pair.getByRole('button', { name: /Try “stable”/ }).click();
    await pair.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/reads of .* tags were replayed/).waitFor();
    await page.getByRole('button', { name: /^Use it here/ }).click();
    await page.getByRole('cell', { name: 'Stable' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('cell', { name: 'Stable' }).waitFor({ state: 'detached' });
    expect(await checkAxe(page)).toEqual([]);
    await leave();
  }, 90_000);

  test('on a phone in the dark nothing is beyond the edge, and axe finds nothing', async () => {
    const { page, leave } = await house.open('/radio', phone);
    await page.getByRole('table', { name: 'Tags heard in both zones' }).waitFor();
    expect(await checkNarrow(page)).toEqual([]);
    await leave();
  }, 60_000);
});
