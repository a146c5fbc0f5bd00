import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { makeKey, makeSelfSigned, signWith } from './openssl.ts';

/** An e-mail as it came over the network. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** By lower-case name, folded lines joined, encoded words read. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** Refuses a command with a reply. */
export class Reply extends Error {
  readonly responseCode: number;
  constructor(code: number, text = 'refused') {
    super(text);
    this.responseCode = code;
  }
}

interface Listening {
  readonly port?: number;
  readonly host?: string;
  readonly atOnce?: boolean;
}

interface Login {
  readonly user: string;
  readonly password: string;
}

/** A real mail server that keeps what comes and reacts as it is told. */
export class MailReceiver {
  /** Everything that was sent to the end. */
  readonly received: Mail[] = [];
  /** What of it was taken. */
  readonly taken: Mail[] = [];
  login: Login | null = null;
  onRecipient: (address: string) => Reply | null = () => null;
  /** `cut`: taken, but the answer does not arrive. `never`: no answer. */
  react: (mail: Mail) => Reply | 'cut' | 'never' | null = () => null;
  connections = 0;
  inFlight = 0;
  mostInFlight = 0;
  #server: SMTPServer | null = null;

  /** Answers its port on loopback. With `tls` it offers STARTTLS, or speaks TLS at once. */
  async open(
    tls: { readonly key: string; readonly cert: string } | null = null,
    { port = 0, host = '127.0.0.1', atOnce = false }: Listening = {},
  ): Promise<number> {
    const options: SMTPServerOptions = {
      ...(tls ? { ...tls, secure: atOnce } : { disabledCommands: ['STARTTLS'] }),
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      onConnect: (_, done) => {
        this.connections++;
        done();
      },
      onAuth: ({ username, password }, _, done) => {
        const isRight = username === this.login?.user && password === this.login?.password;
        if (isRight) done(null, { user: username });
        else done(new Reply(535, 'authentication failed'));
      },
      onMailFrom: (_, session, done) =>
        done(this.login && !session.user ? new Reply(530, 'authentication required') : null),
      onRcptTo: ({ address }, _, done) => done(this.onRecipient(address)),
      onData: (stream, session, done) => void this.#take(stream, session, done),
    };
    const server = new SMTPServer(options);
    server.on('error', () => undefined);
    this.#server = server;
    await new Promise<void>((resolve) => void server.listen(port, host, resolve));
    return (server.server.address() as AddressInfo).port; // it listens on a port
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const connection of server?.connections ?? []) connection._socket.destroy();
    await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
  }

  #take: (...args: Parameters<NonNullable<SMTPServerOptions['onData']>>) => Promise<void> = async (
    stream,
    session,
    done,
  ) => {
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    let raw = '';
    for await (const chunk of stream.setEncoding('utf8')) raw += chunk;
    const { mailFrom, rcptTo } = session.envelope;
    const mail: Mail = {
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
      secure: session.secure,
      user: typeof session.user === 'string' ? session.user : undefined,
      ...read(raw),
    };
    this.received.push(mail);
    this.inFlight--;
    const reaction = this.react(mail);
    if (reaction === 'never') return;
    if (!(reaction instanceof Reply)) this.taken.push(mail);
    if (reaction !== 'cut') return done(reaction, 'queued as 42');
    for (const connection of this.#server?.connections ?? [])
      if (connection.id === session.id) connection._socket.destroy();
  };
}

function read(raw: string): Pick<Mail, 'raw' | 'headers' | 'subject' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())];
    }),
  );
  const text = decoded(raw.slice(end + 4), headers.get('content-transfer-encoding'));
  return { raw, headers, subject: headers.get('subject') ?? '', text: text.replaceAll('\r\n', '\n') };
}

function decoded(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? unquoted(body.replace(/=\r\n/g, '')) : body;
}

const unquoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Encoded words next to each other are one text. */
const decodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?UTF-8\?/gi, '?==?UTF-8?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, how, word) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : unquoted(word.replaceAll('_', ' ')),
    );

/** An authority and a certificate of its for `localhost` and 127.0.0.1, as PEM texts and files in `dir`. */
export async function mailCertificates(dir: string) {
  const at = (name: string): string => join(dir, name);
  const ca = { key: at('ca.key'), out: at('ca.pem'), name: 'Site CA', ca: true };
  await makeKey(ca.key, 'ec');
  await makeSelfSigned(ca);
  await makeKey(at('mail.key'), 'ec');
  await signWith({
    ...{ dir, key: at('mail.key'), out: at('mail.pem'), name: 'localhost' },
    ...{ issuerCert: ca.out, issuerKey: ca.key },
    extensions: 'subjectAltName=DNS:localhost,IP:127.0.0.1',
  });
  const tls = { key: readFileSync(at('mail.key'), 'utf8'), cert: readFileSync(at('mail.pem'), 'utf8') };
  return { caFile: ca.out, tls };
}
