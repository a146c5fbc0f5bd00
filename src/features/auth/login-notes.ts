import { appendAudit } from '../../store/audit.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';

export interface LoginNotesOptions {
  readonly store: Store;
  /** Takes a write that no request waits for. */
  readonly beside: (write: Promise<unknown>) => void;
  readonly log: { warn(fields: object, message: string): void };
}

/** Between two notes of failures of one account, or of unknown ones. */
const NOTE_EVERY_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

interface Since {
  at: number;
  failures: number;
}

/** Where and when a login failed. */
export interface FailedLogin {
  readonly address: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Notes failed logins, at most once a minute for each account: in the audit log of the user's organisation; for an unknown
 * account in the process log, without the address that was tried, which is now and then a password in the wrong box.
 */
export class LoginNotes {
  readonly #options: LoginNotesOptions;
  readonly #since = new Map<string, Since>();

  constructor(options: LoginNotesOptions) {
    this.#options = options;
  }

  failed(user: UserRecord | undefined, { address, now }: FailedLogin): void {
    const { store, beside, log } = this.#options;
    const failures = this.#due(user?.id ?? '', now);
    if (failures === 0) return;
    if (!user) {
      log.warn({ address, failures }, 'logins with unknown e-mail addresses failed');
      return;
    }
    const { orgId, id } = user;
    // Nobody is known to be behind it.
    const actor = { kind: 'system', id: '' } as const;
    const what = { action: 'login-failed', resource: `users/${id}`, after: { failures } };
    beside(store.write((tx) => appendAudit(tx, { orgId, at: now, actor, address, ...what })));
  }

  /** How many failures the note is about; 0: none is due. */
  #due(account: string, now: number): number {
    const since = this.#since.get(account) ?? { at: Number.NEGATIVE_INFINITY, failures: 0 };
    since.failures++;
    if (Math.abs(now - since.at) < NOTE_EVERY_MS) {
      this.#since.set(account, since);
      return 0;
    }
    if (this.#since.size >= MAX_ACCOUNTS) this.#since.clear();
    this.#since.set(account, { at: now, failures: 0 });
    return since.failures;
  }
}
