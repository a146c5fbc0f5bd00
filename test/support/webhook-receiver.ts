import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A message as it came over the network. */
export interface Received {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of many shapes
  readonly data: any;
  readonly timestamp: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** What a receiver does with a message: a status, or something of its own. */
export type Reaction = number | ((response: ServerResponse) => void);

/** A receiver of webhooks: keeps what comes and reacts as it is told. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Those answered with 2xx. */
  readonly taken: Received[] = [];
  react: (message: Received) => Reaction = () => 204;
  inFlight = 0;
  mostInFlight = 0;
  readonly #server;
  readonly #scheme: string;

  constructor(tls?: { readonly cert: string; readonly key: string }) {
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.#take(request, response);
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createTlsServer(tls, handle) : createServer(handle);
  }

  /** Answers its address. */
  async open(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `${this.#scheme}://127.0.0.1:${this.port}/hook`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on a port
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    response.on('close', () => this.inFlight--);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { headers } = request;
    const message: Received = { id: String(headers['webhook-id']), ...JSON.parse(body), body, headers };
    this.received.push(message);
    const reaction = this.react(message);
    if (typeof reaction === 'function') return reaction(response);
    if (reaction < 300) this.taken.push(message);
    response.writeHead(reaction).end();
  }
}

/** Checks a signature as the standard's text says, without any code of the service. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const [prefix, base64 = ''] = secret.split('_');
  if (prefix !== 'whsec') return false;
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const mac = createHmac('sha256', Buffer.from(base64, 'base64')).update(content, 'utf8').digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${mac}`);
}
