import { CallError, problemOf } from './problem.ts';
import { sessionEnded } from './session.ts';

export const apiBase = '/api/v1';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What goes along with a call. `body` is sent as JSON, unless it is a file or a form. */
export interface Sending {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Calls the REST interface and answers its JSON; undefined for 204. Throws `CallError`. */
export async function call<T>(method: Method, path: string, sending: Sending = {}): Promise<T> {
  const answer = await ask(method, path, sending);
  if (answer.status === 204) return undefined as T; // The caller says by `T` that there is nothing.
  return (await answer.json()) as T; // The types are those of the contract the appliance checks itself against.
}

/** A piece of a list, and the path of the next one; null at the end. */
export interface Piece<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** GETs a piece of a list that is answered in pieces. `path` is the first one's, or `next` of the one before. */
export async function callPiece<T>(path: string, signal?: AbortSignal): Promise<Piece<T>> {
  const answer = await ask('GET', path, signal ? { signal } : {});
  const items = (await answer.json()) as readonly T[]; // as above
  return { items, next: nextOf(answer.headers.get('Link')) };
}

async function ask(method: Method, path: string, { body, signal }: Sending): Promise<Response> {
  const isRaw = body instanceof FormData || body instanceof Blob;
  const answer = await fetch(`${apiBase}${path}`, {
    method,
    credentials: 'same-origin',
    ...(signal && { signal }),
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    ...(body !== undefined && !isRaw && { headers: { 'Content-Type': 'application/json' } }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new CallError(0, {});
  });
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  // A wrong password is a 401 too, but no end of a session.
  if (answer.status === 401 && !path.startsWith('/auth/')) sessionEnded();
  throw problem;
}

function nextOf(link: string | null): string | null {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  if (!address) return null;
  const { pathname, search } = new URL(address, location.origin);
  return pathname.slice(apiBase.length) + search;
}
