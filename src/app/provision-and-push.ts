import type { Authority } from '../pki/authority.ts';
import type { Store } from '../store/store.ts';
import { type Provisioned, type ProvisionRequest, provision } from './provision.ts';
import { findReader, type Pushed, pushIdentity } from './push-identity.ts';
import { PushError, type PushTarget } from './push-target.ts';

export interface ProvisionedAtBench extends Provisioned {
  /** Null when the push failed. */
  readonly push: Pushed | null;
  /** Why the push failed: the device is provisioned all the same, and its files are in the folder. */
  readonly failure: PushError | null;
  /** One line each, for people. */
  readonly warnings: readonly string[];
}

/**
 * Provisions the reader that stands on the bench and writes its identity to it. The reader is asked who it is before anything
 * is issued: a `PushError` then (no answer, wrong credentials, another serial) leaves no trace, neither here nor there.
 * Model and firmware are the reader's own words unless the request has them.
 */
export async function provisionAndPush(
  parts: { store: Store; authority: Authority },
  request: ProvisionRequest,
  target: PushTarget,
): Promise<ProvisionedAtBench> {
  const found = await findReader(target, request.serial);
  const model = request.model ?? found.model ?? undefined;
  const firmware = request.firmware ?? found.firmware ?? undefined;
  const made = await provision(parts, { ...request, model, firmware });
  try {
    const push = await pushIdentity(found, request.dir);
    return { ...made, push, failure: null, warnings: [...found.warnings, ...push.warnings] };
  } catch (error) {
    if (!(error instanceof PushError)) throw error;
    // Not thrown: the claim code is told once, and would be lost.
    return { ...made, push: null, failure: error, warnings: found.warnings };
  }
}
