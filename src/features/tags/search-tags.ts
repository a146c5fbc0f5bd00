import { Pace } from '../../lib/pace.ts';
import type { FieldCatalogue } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { type Found, readPage, readPageAtOnce, type Select, type TagQuery } from './search-answer.ts';
import { TAGS_PER_BLOCK } from './search-blocks.ts';
import { SearchIndex } from './search-index.ts';
import { needleOf } from './search-needle.ts';
import { scan } from './search-scan.ts';
import { Turns } from './search-turns.ts';
import { recentFloor, selectAmong, selectDownTo, selectTags } from './select-tags.ts';

export interface TagSearch {
  /**
   * The first `limit` tags that fit, most recently seen first, as of one moment while it was asked; fewer where `room`
   * says so. Refuses with `unavailable` when as many wait as may; throws `ClientGone`.
   */
  find<T>(query: TagQuery<T>): Promise<readonly Found<T>[]>;
  /**
   * Does what the next search would have to do first, for 4 ms at most; to be called every now and then. True when there is
   * more to do: then call it again soon.
   */
  warm(): boolean;
  /** The same of all that this process wrote lately, in slices; costs nothing when that is nothing: to be called often. */
  keepUp(): Promise<void>;
}

export interface TagSearchOptions {
  readonly store: Store;
  readonly catalogue: FieldCatalogue;
  readonly states: TagStates;
}

const SLICE_MS = 4;
/** So many blocks, evenly spread, tell how many of all may hold a needle. */
const BLOCKS_ASKED = 256;
/** Looking through a smaller share of the blocks costs no more than trying something else first. */
const MUCH = 1 / 8;
/** How often a page is looked for again when something on it changed while it was read; then it is read at one go. */
const ATTEMPTS = 16;

/** Search over EPCs and values, on a copy of the texts that is kept outside the heap (`SearchIndex`). */
export function createTagSearch({ store, catalogue, states }: TagSearchOptions): TagSearch {
  const parts: Parts = { index: new SearchIndex(store, catalogue), states, answers: new Turns() };
  // A plain list does not queue with the searches: after a start these wait for the index.
  const searches = new Turns();
  const lists = new Turns();
  return {
    find: (query) =>
      query.q || query.hasData !== undefined
        ? searches.take(() => persist((last) => search(parts, query, last)), query.isGone)
        : lists.take(() => persist((last) => list(parts, query, last)), query.isGone),
    warm: () => parts.index.warm(SLICE_MS),
    keepUp: () => parts.index.keepUp(new Pace(SLICE_MS)),
  };
}

interface Parts {
  readonly index: SearchIndex;
  readonly states: TagStates;
  /** One search and one list at most want to answer at a time. */
  readonly answers: Turns;
}

type Answer<T> = Promise<readonly Found<T>[] | null>;
type Matches = (tagNo: number) => boolean;

async function persist<T>(attempt: (last: boolean) => Answer<T>): Promise<readonly Found<T>[]> {
  for (let n = 1; n < ATTEMPTS; n++) {
    const found = await attempt(false);
    if (found) return found;
  }
  return (await attempt(true)) ?? [];
}

function list<T>({ states, answers }: Parts, query: TagQuery<T>, last: boolean): Answer<T> {
  return answers.take(() => answer(query, (part) => selectTags(states, part), last));
}

/** Common hits are looked for in the tags seen last, which costs less than finding all of them. */
async function search<T>(parts: Parts, query: TagQuery<T>, last: boolean): Answer<T> {
  const { index, states, answers } = parts;
  const pace = new Pace(SLICE_MS);
  await index.refresh(pace);
  const { look, matches, share } = criteriaOf(parts, query);
  if (pace.due) await pace.pause();
  const floor = share > MUCH ? recentFloor(states, query, { matches }) : null;
  if (floor) {
    const recent: Select = (part) => selectDownTo(states, part, { floor, matches });
    const found = await answers.take(() => answer(query, recent, last));
    if (found) return found;
  }
  const hits = await scan({ blocks: index.blocks.count, look }, pace);
  return answers.take(() => answer(query, (part) => selectAmong(states, hits, part), last));
}

function answer<T>(query: TagQuery<T>, select: Select, last: boolean): Answer<T> {
  return last ? Promise.resolve(readPageAtOnce(query, select)) : readPage(query, select, new Pace(SLICE_MS));
}

/** What the filters ask of one tag, and of all tags of a block. */
interface Criteria {
  /** Of a tag of the organisation. */
  readonly matches: Matches;
  readonly look: (block: number, found: (tagNo: number) => void) => void;
  /** The share of the blocks that have to be looked through, 0 to 1; about. */
  readonly share: number;
}

type SearchFor = Pick<TagQuery<unknown>, 'orgNo' | 'q' | 'hasData'>;

function criteriaOf({ index, states }: Parts, { orgNo, q, hasData }: SearchFor): Criteria {
  const { blocks } = index;
  const byData: Matches = (tagNo) => hasData === undefined || index.hasValues(tagNo) === hasData;
  const isOurs: Matches = (tagNo) => states.orgNo(tagNo) === orgNo && byData(tagNo);
  if (!q) return { matches: byData, look: (block, found) => eachOf(block, isOurs, found), share: 1 };
  const needle = needleOf(q);
  return {
    matches: (tagNo) => blocks.has(tagNo, needle) && byData(tagNo),
    look: (block, found) => blocks.find(block, needle, (tagNo) => isOurs(tagNo) && found(tagNo)),
    share: blocks.share(needle, BLOCKS_ASKED),
  };
}

function eachOf(block: number, matches: Matches, found: (tagNo: number) => void): void {
  const first = block * TAGS_PER_BLOCK;
  for (let tagNo = first; tagNo < first + TAGS_PER_BLOCK; tagNo++) if (matches(tagNo)) found(tagNo);
}
