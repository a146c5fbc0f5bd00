import { refuse } from '../../domain/refusal.ts';
import { allCertificates, nextRevocationListNo } from '../../store/certificates.ts';
import { type Store, WriteFailed } from '../../store/store.ts';

const DAY_MS = 86_400_000;
/** How long a list may be relied on. */
const VALID_MS = 7 * DAY_MS;
/** After a day a new one is made, so that whoever fetches it has six more. */
const RENEW_MS = DAY_MS;
/** Whoever looks at a list of long ago knows that a certificate was over by then; a week longer than any list lives. */
const KEPT_MS = VALID_MS;
/** A store that changes without end must not keep anybody waiting without end. */
const MAX_ROUNDS = 3;

/** A revoked certificate: upper-case hex, epoch ms. */
export interface Revocation {
  readonly serialNumber: string;
  readonly revokedAt: number;
}

/** What is to be signed; times are epoch ms. */
export interface RevocationListDraft {
  readonly revoked: readonly Revocation[];
  readonly number: number;
  readonly thisUpdate: number;
  readonly nextUpdate: number;
}

export interface RevocationListsOptions {
  readonly store: Pick<Store, 'write' | 'range' | 'directoryVersion'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** Signs a list, in DER. */
  readonly sign: (draft: RevocationListDraft) => Promise<Buffer>;
}

interface Made extends RevocationListDraft {
  readonly der: Buffer;
  /** Of the directory, when the table of certificates was read. */
  readonly version: number;
}

/**
 * The current revocation list. Valid for seven days; made anew, under a higher number, when a certificate was revoked (by
 * this process or another) and otherwise once a day. Certificates that ended over a week ago are no longer on it.
 */
export class RevocationLists {
  readonly #options: RevocationListsOptions;
  #made: Made | null = null;
  #making: Promise<Made> | null = null;

  constructor(options: RevocationListsOptions) {
    this.#options = options;
  }

  /**
   * The list in DER, with everything revoked before the call. Throws `disk-full` when a new one can't be numbered and there
   * is none before it that is still valid.
   */
  async current(): Promise<Buffer> {
    let latest = this.#made;
    for (let round = 0; round < MAX_ROUNDS && !this.#isCurrent(latest); round++) latest = await this.#renew();
    return (latest ?? (await this.#renew())).der;
  }

  #isCurrent(made: Made | null): boolean {
    if (!made || made.version !== this.#options.store.directoryVersion()) return false;
    return this.#isFresh(made);
  }

  #isFresh({ thisUpdate }: Made): boolean {
    const age = this.#options.now() - thisUpdate;
    // Not one from the future either: the clock was set back.
    return age >= 0 && age < RENEW_MS;
  }

  /** One at a time, whoever asks. */
  #renew(): Promise<Made> {
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<Made> {
    const before = this.#made;
    // Read first: what changes from here on makes the next request look again.
    const version = this.#options.store.directoryVersion();
    const revoked = await this.#revoked();
    const isSame = before && this.#isFresh(before) && isSameList(before.revoked, revoked);
    const made = isSame ? { ...before, version } : await this.#sign(version, revoked);
    this.#made = made;
    return made;
  }

  async #revoked(): Promise<readonly Revocation[]> {
    const revoked: Revocation[] = [];
    const endedBefore = this.#options.now() - KEPT_MS;
    for await (const { serialNumber, revokedAt, notAfter } of allCertificates(this.#options.store))
      if (revokedAt !== null && notAfter >= endedBefore) revoked.push({ serialNumber, revokedAt });
    return revoked;
  }

  async #sign(version: number, revoked: readonly Revocation[]): Promise<Made> {
    const { store, now, sign } = this.#options;
    const thisUpdate = now();
    try {
      const number = await store.write((tx) => nextRevocationListNo(tx, thisUpdate));
      const draft = { revoked, number, thisUpdate, nextUpdate: thisUpdate + VALID_MS };
      return { ...draft, der: await sign(draft), version };
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
      const before = this.#made;
      if (before && before.nextUpdate > thisUpdate) return before;
      throw refuse('disk-full', 'The data disk is full or failing; no revocation list can be made.');
    }
  }
}

function isSameList(one: readonly Revocation[], other: readonly Revocation[]): boolean {
  const isSame = (a: Revocation, b?: Revocation) =>
    a.serialNumber === b?.serialNumber && a.revokedAt === b.revokedAt;
  return one.length === other.length && one.every((entry, index) => isSame(entry, other[index]));
}
