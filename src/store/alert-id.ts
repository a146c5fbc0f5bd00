const TIME_DIGITS = 12;
/** An alert's number takes 26 bits of its id: 12 before the variant, 14 with it. */
const LOW_BITS = 14;
const LOW_MASK = 2 ** LOW_BITS - 1;
const HIGH_MASK = 0xfff;
const VARIANT = 0x8000;
const RANDOM_DIGITS = 12;

/** What the id of an alert is made from. `openedAt` is epoch ms, `no` grows with every alert. */
export interface AlertMoment {
  readonly openedAt: number;
  readonly no: number;
}

/**
 * A UUID (version 7) whose text sorts by time and then by number, so that the table of alerts, keyed by id, is its own
 * index by time. `random` is any UUID, of which the last 48 bits are taken.
 */
export function alertId(moment: AlertMoment, random: string): string {
  return alertIdPrefix(moment) + random.slice(-RANDOM_DIGITS);
}

/** What the id begins with; ids of older alerts sort before it, this one's and those of newer ones after it. */
export function alertIdPrefix({ openedAt, no }: AlertMoment): string {
  const time = hex(openedAt, TIME_DIGITS);
  const high = hex(Math.floor(no / 2 ** LOW_BITS) & HIGH_MASK, 3);
  const low = hex(VARIANT | (no & LOW_MASK), 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low}-`;
}

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, '0');
}
