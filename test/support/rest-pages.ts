import type { Endpoints, Rest } from './appliance.ts';

export interface ListedTag {
  readonly id: string;
  readonly epc: string;
  readonly zoneName: string | null;
  readonly firstSeenAt: string | null;
  readonly lastSeenAt: string | null;
}

/** Every tag there is: GET /tags and whatever its `Link` headers lead to. */
export async function allTags(endpoints: Endpoints, rest: Rest): Promise<readonly ListedTag[]> {
  const tags: ListedTag[] = [];
  for (let path: string | null = '/api/v1/tags'; path !== null; ) {
    const response: Response = await fetch(endpoints.http + path, { headers: rest.headers });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    // The contract fixes the body.
    tags.push(...((await response.json()) as ListedTag[]));
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
  }
  return tags;
}

/** One figure of /metrics. */
export async function metric(endpoints: Endpoints, name: string): Promise<number> {
  const text = await (await fetch(`${endpoints.http}/metrics`)).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(value);
}
