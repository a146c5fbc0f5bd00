import { Refused } from '../../domain/refusal.ts';

/** Each may take a few times 8 MB of memory. */
const UPLOADS_AT_ONCE = 4;
/** An upload takes as long as its sender likes: one organisation must not keep the others from theirs. */
const OF_ONE_ORGANISATION = 2;
const RETRY_AFTER_SECONDS = 5;

/** The places in which floor plans arrive, on the whole appliance. */
export class UploadPlaces {
  readonly #taken = new Map<string, number>();
  #inside = 0;

  /** Runs `receive` in a place. Refuses with 429 when all are taken, or the organisation has its share of them. */
  async run<T>(orgId: string, receive: () => Promise<T>): Promise<T> {
    const own = this.#taken.get(orgId) ?? 0;
    if (own >= OF_ONE_ORGANISATION) throw tooMany(`${own} floor plans of the organisation`);
    if (this.#inside >= UPLOADS_AT_ONCE) throw tooMany(`${this.#inside} floor plans`);
    this.#take(orgId, 1);
    try {
      return await receive();
    } finally {
      this.#take(orgId, -1);
    }
  }

  #take(orgId: string, places: 1 | -1): void {
    this.#inside += places;
    const own = (this.#taken.get(orgId) ?? 0) + places;
    if (own > 0) this.#taken.set(orgId, own);
    else this.#taken.delete(orgId);
  }
}

function tooMany(plans: string): Refused {
  const detail = `${plans} are being uploaded, as many as there may be.`;
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
