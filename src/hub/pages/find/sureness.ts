import type { TagLocation } from '../../../contract/tag-location.ts';

/** From this share of the evidence on a place is certain; from the next one, likely. */
const CERTAIN = 0.9;
const LIKELY = 0.6;
/** A zone that has less of it is not worth naming. */
const WORTH = 0.05;

type Candidate = TagLocation['candidates'][number];

/**
 * How sure the place of a tag is. `last-word`: no evidence is kept, its latest read alone says so; `absent`: it was not seen
 * there lately; `nowhere`: it was never placed. `others` are the zones that read it too, the strongest first.
 */
export interface Sureness {
  readonly level: 'certain' | 'likely' | 'split' | 'last-word' | 'absent' | 'nowhere';
  readonly share: number;
  readonly others: readonly Candidate[];
}

/** How sure this place is. */
export function surenessOf({ zoneId, present, policy, candidates }: TagLocation): Sureness {
  const own = candidates.find((one) => one.zoneId === zoneId);
  const others = candidates.filter((one) => one.zoneId !== zoneId && one.score >= WORTH);
  const share = own?.score ?? 0;
  const found = (level: Sureness['level']): Sureness => ({ level, share, others });
  if (zoneId === null) return found('nowhere');
  if (!present) return found('absent');
  if (policy === 'immediate') return found('last-word');
  if (share >= CERTAIN || others.length === 0) return found('certain');
  return found(share >= LIKELY ? 'likely' : 'split');
}
