import { formatInstant } from '../lib/instant.ts';

export const licenceStates = ['licensed', 'expired', 'suspended', 'closed'] as const;
export type LicenceState = (typeof licenceStates)[number];

/** What a token can say of its licence itself; `expired` follows from time alone. */
export const grantedStates = ['licensed', 'suspended', 'closed'] as const;

/** Every add-on there is; a licence may name others, which mean nothing here. */
export const knownFeatures = ['dock_doors', 'multi_site', 'api_access'] as const;

/** What a licence grants. */
export interface LicenceClaims {
  readonly customer: string;
  /** The plan. */
  readonly edition: string;
  readonly features: readonly string[];
  /** 0 = no limit. */
  readonly maxReaders: number;
  /** 0 = no limit. */
  readonly maxSites: number;
  readonly state: (typeof grantedStates)[number];
  /** Epoch ms; null = no end. */
  readonly expiresAt: number | null;
  /** Why nothing of an installed token can be believed. */
  readonly fault?: string;
}

/** How a licence stands at one moment. */
export interface LicenceStanding {
  readonly state: LicenceState;
  readonly valid: boolean;
  /** Writes are refused; reads from readers are still taken. */
  readonly readOnly: boolean;
  /** Begun days until the end, 0 after it; 36500 when there is none, so that "fewer than n days" stays right. */
  readonly daysLeft: number;
  /** A sentence for people; null when there is nothing to say. */
  readonly message: string | null;
}

/** What an appliance has without a token: everything, for ever. */
export const builtInLicence: LicenceClaims = {
  ...{ customer: '', edition: 'on-premises', features: knownFeatures, maxReaders: 0, maxSites: 0 },
  ...{ state: 'licensed', expiresAt: null },
};

/**
 * What stands in for a token that is installed but does not verify (any more): writes wait until it is put right, nothing
 * it says is shown. `why` is a sentence.
 */
export function unverifiedLicence(why: string): LicenceClaims {
  return { ...builtInLicence, edition: 'unverified', features: [], state: 'suspended', fault: why };
}

const DAY_MS = 86_400_000;
const NO_END_DAYS = 36_500;

/**
 * How a licence stands at `now` (epoch ms). What the vendor said comes first: a closed or suspended licence is that,
 * expired or not. All but `licensed` are read-only. Pure.
 */
export function licenceStanding(claims: LicenceClaims, now: number): LicenceStanding {
  const state = stateOf(claims, now);
  const valid = state === 'licensed';
  const daysLeft = daysUntil(claims.expiresAt, now);
  return { state, valid, readOnly: !valid, daysLeft, message: messageOf(claims, { state, daysLeft }) };
}

function stateOf({ state, expiresAt }: LicenceClaims, now: number): LicenceState {
  if (state !== 'licensed') return state;
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'licensed';
}

function daysUntil(expiresAt: number | null, now: number): number {
  return expiresAt === null ? NO_END_DAYS : Math.max(0, Math.ceil((expiresAt - now) / DAY_MS));
}

const UNTIL_THEN = 'Nothing can be changed until a licence is installed; reads from readers are still taken.';

function messageOf(
  { expiresAt, fault }: LicenceClaims,
  { state, daysLeft }: Pick<LicenceStanding, 'state' | 'daysLeft'>,
): string | null {
  const end = expiresAt === null ? '' : formatInstant(expiresAt);
  if (fault !== undefined) return `${fault} ${UNTIL_THEN}`;
  if (state === 'suspended') return `The licence is suspended. ${UNTIL_THEN}`;
  if (state === 'closed') return `The account is closed. ${UNTIL_THEN}`;
  if (state === 'expired') return `The licence ended at ${end}. ${UNTIL_THEN}`;
  if (expiresAt === null) return null;
  return `The licence ends at ${end}: ${daysLeft === 1 ? '1 day is' : `${daysLeft} days are`} left.`;
}

/** Whether one more may be added to `count` of something a licence limits; `max` 0 = no limit. */
export function allowsOneMore(count: number, max: number): boolean {
  return max === 0 || count < max;
}
