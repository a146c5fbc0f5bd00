import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { WorkQueue } from '../../lib/work-queue.ts';

const KEPT_MS = 30_000;
const NAMES_MAX = 1000;

/**
 * Addresses of host names, one looked up at a time: a lookup holds one of the four threads that the store's flushes need
 * too, and without an answering name server it holds it for long. What was found, or not, is kept for half a minute.
 */
export class NameLookup {
  readonly #line = new WorkQueue({
    atOnce: 1,
    waiting: 100,
    full: () => new Error('too many names to look up'),
  });
  readonly #known = new Map<string, { readonly at: number; readonly found: Promise<LookupAddress[]> }>();

  /** For the `lookup` option of a request. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#find(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  #find(hostname: string): Promise<LookupAddress[]> {
    const known = this.#known.get(hostname);
    if (known && performance.now() - known.at < KEPT_MS) return known.found;
    if (this.#known.size >= NAMES_MAX) this.#known.clear();
    const found = this.#line.run(() => lookup(hostname, { all: true }));
    this.#known.set(hostname, { at: performance.now(), found });
    return found;
  }
}
