import type { MinimalLogger } from '../http/options.ts';
import { formatInstant } from '../lib/instant.ts';
import {
  checkPair,
  endOf,
  readPair,
  type WebCertificate,
  WebCertificateError,
  type WebCertificateFiles,
} from './web-certificate.ts';

export interface WebCertificateWatchOptions {
  readonly files: WebCertificateFiles;
  /** What HTTPS presents now. */
  readonly current: WebCertificate;
  /** Takes a pair that was checked; may throw when TLS refuses it all the same. */
  readonly use: (certificate: WebCertificate) => void;
  readonly log: Pick<MinimalLogger, 'info' | 'warn'>;
}

/**
 * Looks whether the operator's certificate or key changed on disk and puts a pair that belongs together to use. `run` is
 * for every few seconds. Whoever renews writes two files, one after the other: a pair that can't be used is told once, when
 * it is the same at two looks, and the old one stays.
 */
export function watchWebCertificate(options: WebCertificateWatchOptions): { readonly run: () => void } {
  const watch = new Watch(options);
  return { run: () => watch.run() };
}

class Watch {
  readonly #options: WebCertificateWatchOptions;
  #used: WebCertificate;
  /** What was wrong at the last look, and how many looks it has been so. */
  #fault: { readonly text: string; readonly pair: WebCertificate | null; readonly looks: number } | null =
    null;

  constructor(options: WebCertificateWatchOptions) {
    this.#options = options;
    this.#used = options.current;
  }

  run(): void {
    let pair: WebCertificate | null = null;
    try {
      pair = readPair(this.#options.files);
      if (!isSame(pair, this.#used)) this.#take(pair);
      this.#fault = null;
    } catch (error) {
      this.#note(error instanceof Error ? error.message : String(error), pair);
      // Anything else is TLS refusing what passed the check: as much the operator's to know, never the end of the task.
    }
  }

  #take(pair: WebCertificate): void {
    const { files, use, log } = this.#options;
    // The same bad pair is not worth the work again.
    if (this.#fault?.pair && isSame(this.#fault.pair, pair)) throw new WebCertificateError(this.#fault.text);
    checkPair(files, pair);
    use(pair);
    this.#used = pair;
    const ends = formatInstant(endOf(pair));
    log.info({}, `HTTPS uses the new certificate of ${files.certFile}, which ends on ${ends}`);
  }

  #note(text: string, pair: WebCertificate | null): void {
    const before = this.#fault;
    const isAsBefore = before?.text === text && isSameOrNone(before.pair, pair);
    const looks = isAsBefore ? before.looks + 1 : 1;
    this.#fault = { text, pair, looks };
    if (looks === 2) this.#options.log.warn({}, `${text}; HTTPS goes on with the certificate it had`);
  }
}

function isSame(a: WebCertificate, b: WebCertificate): boolean {
  return a.cert === b.cert && a.key === b.key;
}

function isSameOrNone(a: WebCertificate | null, b: WebCertificate | null): boolean {
  return a === null || b === null ? a === b : isSame(a, b);
}
