import type { Asset } from '../../../contract/asset.ts';

/** Which of these assets are missing and which are overdue, each once. */
export function absentOf(assets: readonly Asset[], now: number) {
  const all = [...new Map(assets.map((asset) => [asset.id, asset])).values()];
  const missing = all.filter(({ status }) => status === 'missing');
  const overdue = all.filter(
    ({ status, expectedReturnAt }) =>
      status === 'checked_out' && expectedReturnAt !== undefined && Date.parse(expectedReturnAt) < now,
  );
  return { missing, overdue };
}
