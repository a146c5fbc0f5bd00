/** Which tags are listed: all, those with data, or those without. */
export const dataFilters = ['all', 'with', 'without'] as const;
export type DataFilter = (typeof dataFilters)[number];

export interface ListQuery {
  readonly q: string;
  readonly data: DataFilter;
}

/** Characters that can be searched for. */
export const SEARCH_MAX = 1000;

/** What the page's address (`?q=…&data=…`) asks for. */
export function queryOf(search: string): ListQuery {
  const params = new URLSearchParams(search);
  const data = dataFilters.find((one) => one === params.get('data')) ?? 'all';
  return { q: (params.get('q') ?? '').slice(0, SEARCH_MAX), data };
}

/** The part of the page's address after the path; empty when all tags are listed. */
export function searchOf({ q, data }: ListQuery): string {
  const params = new URLSearchParams();
  if (q) params.set('q', q);
  if (data !== 'all') params.set('data', data);
  const text = params.toString();
  return text && `?${text}`;
}

/** Whether all tags are listed, in the order that has places. */
export const isEverything = ({ q, data }: ListQuery): boolean => !q.trim() && data === 'all';

/** Where the first piece of the list is asked for. */
export function listPath({ q, data }: ListQuery): string {
  const params = new URLSearchParams();
  if (q.trim()) params.set('q', q.trim());
  if (data !== 'all') params.set('hasData', String(data === 'with'));
  params.set('limit', '500');
  return `/tags?${params}`;
}
