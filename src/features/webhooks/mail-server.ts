import { connect, type LookupFunction, type Socket } from 'node:net';
import { type MailFiles, readMailFiles } from './mail-files.ts';
import { outcomeOfError, outcomeOfSent, type Told } from './mail-outcome.ts';

/** The section `mail` of the configuration, with its host. */
export interface MailOptions {
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly user: string | null;
  readonly passwordFile: string | null;
  readonly from: string;
  readonly caFile: string | null;
}

/** One e-mail. */
export interface Letter {
  /** Without angle brackets. */
  readonly messageId: string;
  /** All who are meant to have it, as its header says. */
  readonly to: readonly string[];
  /** Those it goes out to now. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly listId: string;
  /** Epoch ms. */
  readonly at: number;
}

export interface SendingMail {
  readonly lookup: LookupFunction;
  /** Ends the attempt, which then fails. */
  readonly signal: AbortSignal;
  /** 30,000 when left out. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/** The site's own mail server. Each e-mail has a connection of its own; the server's certificate is checked. */
export class MailServer {
  readonly #options: MailOptions;
  // Only with a mail server, and at the start: what runs keeps to the version it was installed with.
  readonly #nodemailer = import('nodemailer');

  constructor(options: MailOptions) {
    this.#options = options;
  }

  get from(): string {
    return this.#options.from;
  }

  /** Sends one e-mail and says how it went; never throws. */
  async send(letter: Letter, { signal, timeoutMs = TIMEOUT_MS, lookup }: SendingMail): Promise<Told> {
    const inTime = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, inTime]);
    try {
      const { createTransport } = await this.#nodemailer;
      const files = await readMailFiles(this.#options);
      const connection = await this.#connect(lookup, either);
      const mail = createTransport({ ...this.#transport(files), connection });
      return outcomeOfSent(await mail.sendMail({ ...this.#message(letter), signal: either }));
    } catch (error) {
      return outcomeOfError(error, inTime.aborted ? timeoutMs : null);
    }
  }

  /** A connection of our own: names are looked up as for webhooks. */
  #connect(lookup: LookupFunction, signal: AbortSignal): Promise<Socket> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, lookup, signal });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  }

  #transport({ password, ca }: MailFiles) {
    const { host, port, security, user } = this.#options;
    const encryption = { starttls: { requireTLS: true }, tls: { secure: true }, none: { ignoreTLS: true } };
    return {
      ...{ host, port, ...encryption[security] },
      tls: { ...(ca !== null && { ca }), minVersion: 'TLSv1.2' as const },
      ...(user !== null && password !== null && { auth: { user, pass: password }, forceAuth: true }),
      ...{ disableFileAccess: true, disableUrlAccess: true, maxResponseSize: 65_536, logger: false },
    };
  }

  #message({ messageId, to, recipients, subject, text, listId, at }: Letter) {
    const { from } = this.#options;
    return {
      from: { name: 'Tagkeep', address: from },
      to: to.map((address) => ({ name: '', address })),
      envelope: { from, to: [...recipients] },
      ...{ messageId: `<${messageId}>`, subject, text, date: new Date(at) },
      xMailer: false as const,
      // Nobody is to answer: neither a holiday notice nor a mailing list's program.
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        'List-Id': `Tagkeep <${listId}>`,
      },
    };
  }
}
