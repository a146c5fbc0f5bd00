import { Refused } from '../../domain/refusal.ts';
import { FailureLimit } from './failure-limit.ts';

/** A password that is being checked. */
export interface Attempt {
  failed(now: number): void;
  succeeded(): void;
  /** It was not checked after all. */
  dropped(): void;
}

/** What is tried from where: an account by its e-mail address, existing or not, and the peer's address. */
export interface Attempted {
  readonly account: string;
  readonly address: string;
}

const MAX_KEYS = 10_000;
const ACCOUNT_FAILURES = 5;
/** Behind one address there may be an office, or a proxy. */
const ADDRESS_FAILURES = 20;

/** Slows and limits wrong passwords, by account and by address. A success clears the account, not the address. */
export class LoginAttempts {
  readonly #accounts = new FailureLimit({ free: ACCOUNT_FAILURES, maxKeys: MAX_KEYS });
  readonly #addresses = new FailureLimit({ free: ADDRESS_FAILURES, maxKeys: MAX_KEYS });

  /** Throws `too-many-requests` while account or address has to wait. `now` is epoch ms. */
  begin({ account, address }: Attempted, now: number): Attempt {
    const network = networkOf(address);
    const waitMs = Math.max(this.#accounts.waitMs(account, now), this.#addresses.waitMs(network, now));
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
    this.#accounts.begin(account, now);
    this.#addresses.begin(network, now);
    return {
      failed: (at) => {
        this.#accounts.failed(account, at);
        this.#addresses.failed(network, at);
      },
      succeeded: () => {
        this.#accounts.succeeded(account, true);
        this.#addresses.succeeded(network, false);
      },
      dropped: () => {
        this.#accounts.dropped(account);
        this.#addresses.dropped(network);
      },
    };
  }
}

function tooMany(retryAfterSeconds: number): Refused {
  const detail = `Too many failed logins. Try again in ${retryAfterSeconds} seconds.`;
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds });
}

/** One peer can have any address of its IPv6 /64, so that is what counts. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (v4 !== undefined) return v4;
  const [head = '', tail] = plain.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
