import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

interface Call {
  /** `PUT /api/v1/mqtt`. */
  readonly title: string;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** An answer: a status with a JSON body, or what is to be done with the call instead. */
type BenchAnswer =
  | { readonly status: number; readonly json?: unknown; readonly text?: string; readonly location?: string }
  | ((response: ServerResponse, socket: Duplex) => void);

/** A certificate that vouches for itself, and its key. */
export interface OwnCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * A reader on the bench that says of itself what the test tells it to, over real HTTPS with a certificate of its own. It
 * keeps what it was given, but it is no state machine: that is the simulator's stand-in.
 */
export class BenchReader {
  readonly calls: Call[] = [];
  /** What takes the place of the usual answer, by `METHOD path`. */
  readonly answers = new Map<string, BenchAnswer>();
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port.
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('tlsClientError', () => {});
  }

  static async start(serial: string, certificate: OwnCertificate): Promise<BenchReader> {
    const server = createServer(certificate);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const reader = new BenchReader(server);
    const { answers } = reader;
    answers.set('GET /api/v1/system', { status: 200, json: { productModel: 'R700', serialNumber: serial } });
    answers.set('GET /api/v1/system/image', { status: 200, json: { primaryFirmware: '10.1.0.240' } });
    answers.set('GET /api/v1/mqtt', { status: 200, json: { active: false, connectMessage: 'connected' } });
    answers.set('POST /api/v1/system/certificates/ca/certs', { status: 200, json: [{ certId: 3 }] });
    answers.set('POST /api/v1/system/certificates/tls/certs', { status: 200, json: { certId: 7 } });
    answers.set('PUT /api/v1/system/certificates/tls/services/mqtt-client', { status: 204 });
    answers.set('PUT /api/v1/mqtt', { status: 204 });
    return reader;
  }

  /** What was asked, in order. */
  get titles(): readonly string[] {
    return this.calls.map(({ title }) => title);
  }

  /** From now on it shows another certificate. */
  show(certificate: OwnCertificate): void {
    this.#server.setSecureContext(certificate);
  }

  bodyOf(title: string): string {
    const call = this.calls.findLast((one) => one.title === title);
    if (!call) throw new Error(`nobody asked ${title}; asked were ${this.titles.join(', ')}`);
    return call.body;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const title = `${request.method} ${request.url}`;
    const { authorization, 'content-type': type } = request.headers;
    this.calls.push({ title, authorization, type, body: Buffer.concat(chunks).toString() });
    const answer = this.answers.get(title) ?? { status: 404, json: { message: 'Not Found' } };
    if (typeof answer === 'function') return answer(response, request.socket);
    const { status, json, text = json === undefined ? '' : JSON.stringify(json), location } = answer;
    response.writeHead(status, location === undefined ? {} : { location }).end(text);
  }
}

export function ownCertificate(name: string): OwnCertificate {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-bench-'));
  const [certFile, keyFile] = [join(dir, 'own.crt'), join(dir, 'own.key')];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...ec, '-days', '5', '-subj', `/CN=${name}`];
  execFileSync('openssl', [...args, '-out', certFile, '-keyout', keyFile], {
    stdio: 'ignore',
    timeout: 20_000,
  });
  const made = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  rmSync(dir, { recursive: true });
  return made;
}
