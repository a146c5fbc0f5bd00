import { z } from 'zod';

const CURSOR = /^[A-Za-z0-9_-]{1,128}$/;

/** Where a page ended: the sort key of its last entry and that entry's number. */
export interface Position {
  readonly key: number;
  readonly no: number;
}

/** The query parameters of a list that can be paged; `limit` is `max` when left out. */
export function pageQuery(max: number) {
  return {
    limit: z
      .string()
      .regex(/^\d{1,6}$/, `must be a whole number from 1 to ${max}`)
      .transform(Number)
      .pipe(z.int().min(1).max(max))
      .optional()
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: max,
        pattern: undefined,
        description: `Entries to answer; ${max} when left out (extension)`,
      }),
    cursor: z
      .string()
      .transform((text, context) => {
        const position = parseCursor(text);
        if (position) return position;
        context.addIssue('is not a cursor of this list');
        return z.NEVER;
      })
      .optional()
      .meta({ description: 'Where to go on: from the `Link` header of the page before (extension)' }),
  };
}

/** For the documentation of the answers of a list that can be paged. */
export const linkHeader = {
  Link: 'When there is more: `<…>; rel="next"` with the address of the next page (extension)',
};

/**
 * The `Link` header to the page after this one, keeping the other parameters of this request's address; no header when
 * this page is the last. `found` is what was looked for `limit + 1` of.
 */
export function nextLink(
  url: string,
  found: readonly Position[],
  limit: number,
): Readonly<Record<string, string>> {
  const last = found[limit - 1];
  if (found.length <= limit || !last) return {};
  const [path = '', query = ''] = url.split('?', 2);
  const search = new URLSearchParams(query);
  search.set('cursor', formatCursor(last));
  return { Link: `<${path}?${search}>; rel="next"` };
}

/** What `parseCursor` reads. */
export function formatCursor({ key, no }: Position): string {
  const text = key === Number.NEGATIVE_INFINITY ? `-,${no}` : `${key},${no}`;
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function parseCursor(text: string): Position | null {
  if (!CURSOR.test(text)) return null;
  const match = /^(-|\d{1,20}(?:\.\d{1,20})?),(\d{1,16})$/.exec(decodeBase64Url(text));
  if (!match) return null;
  const key = match[1] === '-' ? Number.NEGATIVE_INFINITY : Number(match[1]);
  return { key, no: Number(match[2]) };
}

function decodeBase64Url(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
