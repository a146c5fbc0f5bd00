import { limits } from '../domain/limits.ts';
import type { Directory } from '../store/directory.ts';
import type { Activity } from './activity.ts';
import { decodeStatus } from './decode.ts';
import type { Diagnostics } from './diagnostics.ts';

export interface StatusOptions {
  readonly directory: Directory;
  readonly activity: Activity;
  readonly diagnostics: Diagnostics;
  readonly now: () => number;
}

/**
 * Takes a `status` message: the reader's own plain texts are a sign of life, the agent's health its figures. Of a device
 * whose data is refused (unclaimed, released, withdrawn, revoked) it is a sign of life, the rest is dropped and counted.
 */
export function takeStatus(serial: string, payload: Buffer, options: StatusOptions): void {
  const { directory, activity, diagnostics, now } = options;
  if (!directory.reader(serial)) {
    diagnostics.of(serial).dropped++;
    activity.heard(serial, now());
    return;
  }
  const status = decodeStatus(payload);
  if (status.kind === 'health') activity.health(serial, now(), status.health);
  else activity.heard(serial, now());
  const reasons =
    status.kind === 'rejected' ? [status.reason] : status.kind === 'health' ? status.dropped : [];
  if (reasons.length === 0) return;
  diagnostics.reject(serial, {
    at: now(),
    reasons: reasons.slice(0, limits.badPayloadsKept),
    count: reasons.length,
    payload,
  });
}
