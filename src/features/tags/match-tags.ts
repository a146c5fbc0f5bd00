import type { Tag } from '../../contract/tag.ts';
import { fold } from '../../lib/fold.ts';

/** What the user-defined data of tags says. */
export interface TagData {
  /** What the name field says, and all values by field key, as text. */
  describe(
    tagNo: number,
    orgNo: number,
  ): {
    readonly label: string | null;
    readonly attributes: Readonly<Record<string, string>>;
  };
}

/** The filters of GET /tags. */
export interface TagFilters {
  readonly q: string | undefined;
  readonly hasData: boolean | undefined;
}

/** Whether a tag, as it is to be answered, fits the filters: `q` in its EPC or in any value, in any case. */
export function matcher({ q, hasData }: TagFilters): (tag: Tag) => boolean {
  const needle = fold(q ?? '');
  const holds = (text: string): boolean => fold(text).includes(needle);
  return ({ epc, attributes }) => {
    const values = Object.values(attributes);
    if (hasData !== undefined && values.length > 0 !== hasData) return false;
    return needle === '' || holds(epc) || values.some(holds);
  };
}
