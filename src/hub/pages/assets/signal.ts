import type { StrongestTag } from '../../../contract/radio.ts';

export type Signal = 'strong' | 'good' | 'weak' | 'unknown';

const STRONG_CDBM = -4500;
const GOOD_CDBM = -6000;
/** How much stronger another tag has to be to be taken instead of the one that is chosen. */
const CLEARLY_CDBM = 300;

/** Signal strength in a word. Strong is a tag that is held to the antenna. */
export function signalOf(rssiCdbm: number | null): Signal {
  if (rssiCdbm === null) return 'unknown';
  if (rssiCdbm >= STRONG_CDBM) return 'strong';
  return rssiCdbm >= GOOD_CDBM ? 'good' : 'weak';
}

const strength = ({ rssiCdbm }: StrongestTag) => rssiCdbm ?? Number.NEGATIVE_INFINITY;

/**
 * The EPC of the tag that is most likely the one being held there: the strongest new one. A tag is new for seconds only, so
 * `before` stays, also when it is laid down to press the button, until another new one is clearly stronger. Null when there is
 * neither.
 */
export function likeliest(tags: readonly StrongestTag[], before: string | null): string | null {
  const [top] = tags.filter(({ isNew }) => isNew).toSorted((one, other) => strength(other) - strength(one));
  if (!top) return before;
  const kept = tags.find(({ epc }) => epc === before);
  return kept && strength(top) - strength(kept) < CLEARLY_CDBM ? before : top.epc;
}
