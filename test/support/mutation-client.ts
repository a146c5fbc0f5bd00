import http from 'node:http';

/** A request byte for byte: nothing is encoded, added or put right on the way. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface RawAnswer {
  readonly status: number;
  /** Without parameters; empty when there is none. */
  readonly type: string;
  readonly text: string;
}

const TIMEOUT_MS = 20_000;

/** A client that keeps its connections. Of a stream without end it reads the head only. */
export class RawClient {
  readonly #origin: string;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(origin: string) {
    this.#origin = origin;
  }

  send({ method, target, headers, body }: RawRequest): Promise<RawAnswer> {
    const length = body ? { 'content-length': String(body.length) } : {};
    return new Promise((resolve, reject) => {
      const request = http.request(this.#origin, {
        ...{ method, path: target, agent: this.#agent, timeout: TIMEOUT_MS },
        headers: { ...headers, ...length },
      });
      request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
      request.on('error', reject);
      request.on('response', (response) => answerOf(response).then(resolve, reject));
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function answerOf(response: http.IncomingMessage): Promise<RawAnswer> {
  const status = response.statusCode ?? 0;
  const type = response.headers['content-type']?.split(';')[0] ?? '';
  if (type === 'text/event-stream') {
    response.destroy();
    return { status, type, text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status, type, text: Buffer.concat(chunks).toString() };
}
