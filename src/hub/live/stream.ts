import { apiBase } from '../api/call.ts';
import { type Batch, Collector } from './batch.ts';

/** `since` is when the stream was lost, epoch ms. */
export type StreamState = { readonly live: true } | { readonly live: false; readonly since: number | null };

const HIDDEN_PAUSE_MS = 1000;
const RETRY_MS = 3000;
/** Longer than two heartbeats of a stream: the connection is gone without a word. */
const SILENCE_MS = 45_000;

/**
 * The page's one event stream. Events go to listeners once per frame; after a break they are told of a gap, so that they ask
 * REST again. Nothing of the stream is kept here but what waits for the next frame.
 */
class Stream {
  readonly #listeners = new Set<(batch: Batch) => void>();
  readonly #watchers = new Set<() => void>();
  readonly #collector = new Collector();
  #state: StreamState = { live: false, since: null };
  #source: EventSource | null = null;
  #isDue = false;
  #lastAt = 0;
  #lastId = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  get state(): StreamState {
    return this.#state;
  }

  /** Connects, and stays connected until `close`. */
  open(): void {
    if (this.#source) return;
    clearTimeout(this.#timer);
    const resume = this.#lastId ? `&lastEventId=${encodeURIComponent(this.#lastId)}` : '';
    const source = new EventSource(`${apiBase}/events/stream?types=tag_read,tag_moved${resume}`);
    this.#source = source;
    this.#listen(source);
    this.#watchSilence(source);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    this.#set({ live: false, since: null });
  }

  /** Hears every batch until the answer is called. */
  listen(listener: (batch: Batch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Is told when `state` changes, until the answer is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #listen(source: EventSource): void {
    source.addEventListener('hello', () => {
      // Without an id to go on from, what happened during the break is unknown.
      if (this.#state.live === false && this.#state.since !== null && !this.#lastId) this.#collector.miss();
      this.#set({ live: true });
      this.#schedule();
    });
    source.addEventListener('resync', () => {
      this.#collector.miss();
      this.#schedule();
    });
    for (const type of ['tag_read', 'tag_moved'] as const)
      source.addEventListener(type, (message) => {
        this.#lastAt = Date.now();
        if (message.lastEventId) this.#lastId = message.lastEventId;
        this.#collector.add({ type, data: JSON.parse(message.data) });
        this.#schedule();
      });
    source.onerror = () => this.#lost(source);
  }

  #lost(source: EventSource): void {
    if (source !== this.#source) return;
    if (this.#state.live) this.#set({ live: false, since: Date.now() });
    // The browser itself tries again after a break, but not after an answer such as 401 or 503.
    if (source.readyState !== EventSource.CLOSED) return;
    this.#source = null;
    this.#timer = setTimeout(() => this.open(), RETRY_MS);
  }

  // A cable that was pulled says nothing: after long silence the stream is begun anew.
  #watchSilence(source: EventSource): void {
    this.#lastAt = Date.now();
    this.#timer = setTimeout(() => {
      if (source !== this.#source) return;
      if (Date.now() - this.#lastAt < SILENCE_MS) return this.#watchSilence(source);
      source.close();
      this.#source = null;
      this.open();
    }, SILENCE_MS);
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // A hidden page gets no frames.
    if (document.hidden) setTimeout(() => this.#flush(), HIDDEN_PAUSE_MS);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#isDue = false;
    const batch = this.#collector.take();
    if (batch) for (const listener of this.#listeners) listener(batch);
  }

  #set(state: StreamState): void {
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

export const stream = new Stream();
