import { BitSet } from '../../lib/bit-set.ts';
import { Pace } from '../../lib/pace.ts';
import type { TagStates } from '../../store/tag-states.ts';
import type { EpcText } from './epc-text.ts';

/** What the user-defined data of tags says; fields and values live elsewhere. */
export interface TagData {
  /** What the name field says, and all values by field key, as text. */
  describe(tagNo: number): {
    readonly label: string | null;
    readonly attributes: Readonly<Record<string, string>>;
  };
  hasData(tagNo: number): boolean;
  /** Adds every tag of the organisation one of whose field values holds the text, in any case; in small slices. */
  findValues(text: string, orgNo: number, found: BitSet): Promise<void>;
}

export interface MatchOptions {
  readonly orgNo: number;
  readonly q: string | undefined;
  readonly hasData: boolean | undefined;
}

export interface MatchSources {
  readonly states: TagStates;
  readonly epcs: EpcText;
  readonly data: TagData;
}

const TAGS_BETWEEN_LOOKS = 256;

/** The tags that match the filters, or null when there is none to match. Works in slices: the event loop stays free. */
export async function matchTags(sources: MatchSources, options: MatchOptions): Promise<BitSet | null> {
  const { orgNo, q, hasData } = options;
  let among: BitSet | null = null;
  if (q !== undefined && q !== '') {
    among = new BitSet();
    await sources.epcs.find(q, among, new Pace());
    await sources.data.findValues(q, orgNo, among);
  }
  return hasData === undefined ? among : withData(sources, { orgNo, hasData, among });
}

async function withData(
  { states, data }: MatchSources,
  { orgNo, hasData, among }: { orgNo: number; hasData: boolean; among: BitSet | null },
): Promise<BitSet> {
  const matching = new BitSet();
  const pace = new Pace();
  for (let tagNo = 0; tagNo < states.size; tagNo++) {
    if (tagNo % TAGS_BETWEEN_LOOKS === 0 && pace.due) await pace.pause();
    if (states.orgNo(tagNo) !== orgNo || (among && !among.has(tagNo))) continue;
    if (data.hasData(tagNo) === hasData) matching.add(tagNo);
  }
  return matching;
}
