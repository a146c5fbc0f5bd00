import type { ClientRequest, IncomingMessage } from 'node:http';
import { refusalOf } from './local-reader.ts';
import { failureOf } from './local-rest.ts';

export interface EventStreamOptions {
  /** Opens `GET /data/stream`; it is sent by the stream. */
  readonly open: () => ClientRequest;
  /** Whole lines, each with `\n` at its end; blank ones are left out. */
  readonly onLines: (text: string) => void;
  readonly log: (line: string) => void;
  /** Without a byte for as long, ms, the stream counts as dead; 45 s when absent (readers send a blank line every 30 s). */
  readonly silenceMs?: number;
}

const SILENCE_MS = 45_000;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 30_000;
/** So that a message of one line stays within what the agent sends. */
const LINE_MAX_CHARACTERS = 60_000;

/** Takes the reader's event stream, again and again: a stream that ends, breaks or falls silent is opened anew (1 s to 30 s). */
export class EventStream {
  readonly #options: EventStreamOptions;
  #request: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#dial();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#request?.destroy();
  }

  #dial(): void {
    const { open, log, silenceMs = SILENCE_MS } = this.#options;
    const request = open();
    const tooSilent = new Error(`silent for ${silenceMs / 1000} s`);
    const silence = setTimeout(() => request.destroy(tooSilent), silenceMs);
    this.#request = request;
    request.on('response', (response) => this.#take(request, response, silence));
    request.on('error', (error) => {
      if (!this.#stopped) log(`the reader's event stream: ${failureOf(error)}; trying again`);
    });
    request.on('close', () => {
      clearTimeout(silence);
      this.#again();
    });
    request.end();
  }

  #take(request: ClientRequest, response: IncomingMessage, silence: NodeJS.Timeout): void {
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      response.resume();
      request.destroy(new Error(refusalOf({ status, body: null })));
      return;
    }
    const lines = lineReader(this.#options);
    response.on('data', (bytes: Buffer) => {
      this.#failures = 0;
      silence.refresh();
      lines(bytes);
    });
    response.on('close', () => {
      if (!this.#stopped) this.#options.log("the reader's event stream ended; opening it again");
    });
    // Why it broke off is of no use: it is opened again.
    response.on('error', () => {});
  }

  #again(): void {
    if (this.#stopped) return;
    const waitMs = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#dial(), waitMs);
  }
}

/** Joins chunks to lines. A line that is too long is left out and said. */
function lineReader({ onLines, log }: EventStreamOptions): (bytes: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = '';
  let isTooLong = false;
  return (bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    if (isTooLong && parts.length > 0) {
      parts.shift();
      isTooLong = false;
    }
    const lines = parts.map((line) => line.trim()).filter((line) => line !== '');
    const usable = lines.filter((line) => line.length <= LINE_MAX_CHARACTERS);
    if (rest.length > LINE_MAX_CHARACTERS) {
      rest = '';
      isTooLong = true;
    }
    if (usable.length < lines.length || isTooLong)
      log('the reader sent an event of over 60,000 characters; left out');
    if (usable.length > 0) onLines(`${usable.join('\n')}\n`);
  };
}
