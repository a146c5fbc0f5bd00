import type { ServerResponse } from 'node:http';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import { overflowEvent } from './r700-event.ts';

export interface LocalStreamOptions {
  /** Events kept for a consumer that does not take them. */
  readonly bufferSize: number;
  /** Between blank lines. */
  readonly keepAliveMs: number;
  /** Epoch ms, for the overflow event. */
  readonly now: () => number;
}

export interface LocalStreamStats {
  readonly consumers: number;
  /** Events written, each consumer's counted. */
  readonly sent: number;
  /** Events given up because a consumer was too slow. */
  readonly dropped: number;
}

const CONSUMERS_MAX = 8;

/**
 * The event stream of `GET /data/stream`: one JSON object a line, CRLF, a blank line as keep-alive. Events before the request
 * are not sent. A consumer that is too slow loses its oldest events, and is told so by an overflow event in their place.
 */
export class LocalStream {
  readonly #options: LocalStreamOptions;
  readonly #consumers = new Set<Consumer>();
  readonly #keepAlive: NodeJS.Timeout;
  #sent = 0;
  #dropped = 0;

  constructor(options: LocalStreamOptions) {
    this.#options = options;
    this.#keepAlive = setInterval(() => this.#beat(), options.keepAliveMs);
  }

  get stats(): LocalStreamStats {
    return { consumers: this.#consumers.size, sent: this.#sent, dropped: this.#dropped };
  }

  get isFull(): boolean {
    return this.#consumers.size >= CONSUMERS_MAX;
  }

  /** Answers 200 at once and streams until either side ends it. */
  add(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
    const consumer: Consumer = { response, waiting: createEventBuffer(this.#options.bufferSize) };
    this.#consumers.add(consumer);
    response.on('error', () => {});
    response.on('drain', () => this.#flush(consumer));
    response.on('close', () => {
      this.#dropped += consumer.waiting.size();
      this.#consumers.delete(consumer);
    });
  }

  /** Sends one event, a line of JSON without its end. */
  push(event: string): void {
    for (const consumer of this.#consumers) {
      const lost = consumer.waiting.purged();
      consumer.waiting.push(event);
      this.#dropped += consumer.waiting.purged() - lost;
      this.#flush(consumer);
    }
  }

  /** Ends every consumer's stream, as a reboot does. */
  cut(): void {
    for (const { response } of this.#consumers) response.destroy();
  }

  close(): void {
    clearInterval(this.#keepAlive);
    this.cut();
  }

  #flush({ response, waiting }: Consumer): void {
    while (!response.writableNeedDrain && !response.destroyed) {
      const loss = waiting.takeLoss();
      const event = loss === undefined ? waiting.take() : overflowEvent(loss, this.#options.now());
      if (event === undefined) return;
      response.write(`${event}\r\n`);
      this.#sent += 1;
    }
  }

  #beat(): void {
    for (const { response } of this.#consumers) {
      if (!response.writableNeedDrain && !response.destroyed) response.write('\r\n');
    }
  }
}

interface Consumer {
  readonly response: ServerResponse;
  readonly waiting: EventBuffer;
}
