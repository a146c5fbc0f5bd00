export const assetStatuses = ['available', 'checked_out', 'missing', 'retired'] as const;
/** Where an asset stands. */
export type AssetStatus = (typeof assetStatuses)[number];

export const assetEventKinds = [
  'created',
  'check_out',
  'check_in',
  'zone_enter',
  'zone_exit',
  'marked_missing',
  'found',
  'retired',
] as const;
/** What an asset's timeline tells. */
export type AssetEventKind = (typeof assetEventKinds)[number];

/** What can change an asset's status: the first three are asked for by people, the last two decided by the service. */
export type AssetTrigger = 'check_out' | 'check_in' | 'retire' | 'mark_missing' | 'find';

/** Why a person's wish is refused: all of them are a 409. */
export type AssetRefusal = 'asset-not-available' | 'asset-not-checked-out' | 'asset-retired';

/** The next status, or why there is none; no refusal where the service simply has nothing to do. */
export type AssetStep =
  | { readonly to: AssetStatus }
  | { readonly to: null; readonly refusal: AssetRefusal | null };

const retired: AssetStep = { to: null, refusal: 'asset-retired' };
const nothing: AssetStep = { to: null, refusal: null };
const notCheckedOut: AssetStep = { to: null, refusal: 'asset-not-checked-out' };

const transitions: Readonly<Record<AssetStatus, Readonly<Record<AssetTrigger, AssetStep>>>> = {
  available: {
    check_out: { to: 'checked_out' },
    check_in: notCheckedOut,
    retire: { to: 'retired' },
    mark_missing: { to: 'missing' },
    find: nothing,
  },
  checked_out: {
    check_out: { to: null, refusal: 'asset-not-available' },
    check_in: { to: 'available' },
    retire: { to: 'retired' },
    // Away by intent.
    mark_missing: nothing,
    find: nothing,
  },
  missing: {
    check_out: { to: 'checked_out' },
    check_in: notCheckedOut,
    retire: { to: 'retired' },
    mark_missing: nothing,
    find: { to: 'available' },
  },
  retired: { check_out: retired, check_in: retired, retire: retired, mark_missing: nothing, find: nothing },
};

/** What a trigger makes of an asset's status: the contract's table "Asset status", with missing and found. Pure. */
export function assetStep(status: AssetStatus, trigger: AssetTrigger): AssetStep {
  return transitions[status][trigger];
}

/** When an asset's tag was last seen, and how long it may go unseen; times are epoch ms. */
export interface Sighting {
  /** NaN = never: such a tag is not missed. */
  readonly lastSeenAt: number;
  readonly now: number;
  /** 0 = for ever. */
  readonly missingAfterMs: number;
}

/**
 * Whether an available asset counts as missing: its tag was seen before, and not for too long. `inHandAt`: when somebody
 * last had the asset in hand (linked the tag, checked it in), which is as good as seeing its tag.
 */
export function isOverdue({ lastSeenAt, now, missingAfterMs }: Sighting, inHandAt = 0): boolean {
  return missingAfterMs > 0 && now - Math.max(lastSeenAt, inHandAt) > missingAfterMs;
}

/**
 * Whether a missing asset is found: its tag was seen after what was known of it when it went missing (`missedAt`: when it
 * had last been seen then), and lately enough not to be missed at once again. Reads that arrive late count by their own time.
 */
export function isSeenAgain(sighting: Sighting, missedAt: number): boolean {
  // Whole milliseconds: that is how `missedAt` is kept.
  return Math.floor(sighting.lastSeenAt) > missedAt && !isOverdue(sighting);
}

/** Whether a checked-out asset should have been back at `now`; times are epoch ms. */
export function isReturnLate(
  { status, expectedReturnAt }: { readonly status: AssetStatus; readonly expectedReturnAt: number | null },
  now: number,
): boolean {
  return status === 'checked_out' && expectedReturnAt !== null && expectedReturnAt < now;
}
