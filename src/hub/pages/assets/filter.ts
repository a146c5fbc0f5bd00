/** The views of the list of assets, as they stand in the address. */
export const views = ['all', 'available', 'checked_out', 'overdue', 'missing', 'retired'] as const;
export type View = (typeof views)[number];

/** What of the list is shown. */
export interface Filter {
  readonly view: View;
  /** Text to find; empty: all. */
  readonly q: string;
}

/** The filter in the query of an address; what is none of ours is left out. */
export function filterOf(search: string): Filter {
  const query = new URLSearchParams(search);
  const view = views.find((one) => one === query.get('view')) ?? 'all';
  return { view, q: query.get('q') ?? '' };
}

/** The query of the address of a filter: empty, or beginning with `?`. */
export function searchOf({ view, q }: Filter): string {
  const query = new URLSearchParams();
  if (view !== 'all') query.set('view', view);
  if (q.trim()) query.set('q', q.trim());
  const text = query.toString();
  return text && `?${text}`;
}

/** The path of REST that answers a filter's first piece, of up to `limit` assets. */
export function assetsPath({ view, q }: Filter, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (view === 'overdue') query.set('overdue', 'true');
  else if (view !== 'all') query.set('status', view);
  if (q.trim()) query.set('q', q.trim());
  return `/assets?${query}`;
}
