import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import {
  badRequest,
  done,
  found,
  type LocalAnswer,
  type LocalRequest,
  type LocalRoute,
  type LocalUpload,
  refused,
} from './local-answer.ts';
import { isObject, type Schema, schemaFault } from './local-schema.ts';

/** A certificate on the reader: an authority's, or its own with the key. `content` is PEM text or PKCS#12 in base64. */
export interface StoredCertificate {
  readonly certId: number;
  readonly format: 'pem' | 'pkcs12';
  /** Empty for PKCS#12: the stand-in does not look inside further than that it opens. */
  readonly subject: string;
  readonly content: string;
}

/** Everything of it survives a reboot. */
export interface SavedCertificates {
  readonly nextId: number;
  readonly ca: readonly StoredCertificate[];
  readonly tls: readonly StoredCertificate[];
  /** Service → the `certId` it shows. */
  readonly services: Readonly<Partial<Record<ServiceName, number>>>;
}

const serviceNames = ['https-server', 'mqtt-client', 'cap-encryption'] as const;
type ServiceName = (typeof serviceNames)[number];
type StoreName = 'ca' | 'tls';

/** A reader that has no certificates but its factory one, which it does not list. */
export const noCertificates: SavedCertificates = { nextId: 1, ca: [], tls: [], services: {} };

const CERTIFICATES_MAX = 64;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const selection: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['certId'],
  properties: { certId: { type: 'integer', minimum: 1 } },
};

/**
 * `/system/certificates`: authorities and the reader's own certificates, and which of them a service shows. The own ones
 * come as PEM with the key or as PKCS#12 with its password, in a form or as the bare body.
 */
export class LocalCertificates {
  #saved: SavedCertificates;

  constructor(saved: SavedCertificates) {
    this.#saved = saved;
  }

  saved(): SavedCertificates {
    return this.#saved;
  }

  routes(): readonly LocalRoute[] {
    return [
      ...this.#storeRoutes('ca'),
      ...this.#storeRoutes('tls'),
      ...serviceNames.flatMap((name) => this.#serviceRoutes(name)),
    ];
  }

  #storeRoutes(store: StoreName): readonly LocalRoute[] {
    const all = new RegExp(`^/system/certificates/${store}/certs$`);
    const one = new RegExp(`^/system/certificates/${store}/certs/(\\d{1,9})$`);
    const find = (id: string) => this.#saved[store].find(({ certId }) => certId === Number(id));
    return [
      { method: 'GET', pattern: all, run: () => found(this.#saved[store].map(shown)) },
      { method: 'POST', pattern: all, run: (request) => this.#install(store, request) },
      {
        method: 'GET',
        pattern: one,
        run: (_, [id = '']) => {
          const certificate = find(id);
          return certificate === undefined ? notFound : found(shown(certificate));
        },
      },
      {
        method: 'DELETE',
        pattern: one,
        run: (_, [id = '']) => (find(id) === undefined ? notFound : this.#remove(store, Number(id))),
      },
    ];
  }

  #serviceRoutes(name: ServiceName): readonly LocalRoute[] {
    const pattern = new RegExp(`^/system/certificates/tls/services/${name}$`);
    return [
      {
        method: 'GET',
        pattern,
        run: () => {
          const certId = this.#saved.services[name];
          return found(certId === undefined ? {} : { certId });
        },
      },
      { method: 'PUT', pattern, run: ({ body }) => this.#select(name, body) },
    ];
  }

  #install(store: StoreName, request: LocalRequest): LocalAnswer {
    const upload = uploadOf(request);
    if (upload === null) return badRequest({ path: 'certFile', reason: 'is required' });
    const read = store === 'ca' ? authoritiesOf(upload) : ownOf(upload);
    if (typeof read === 'string') return badRequest({ path: 'certFile', reason: read });
    const { nextId } = this.#saved;
    const added = read.map((certificate, at) => ({ certId: nextId + at, ...certificate }));
    if (this.#saved[store].length + added.length > CERTIFICATES_MAX) {
      return badRequest({
        path: 'certFile',
        reason: `is too much: ${CERTIFICATES_MAX} certificates are kept`,
      });
    }
    this.#saved = {
      ...this.#saved,
      nextId: nextId + added.length,
      [store]: [...this.#saved[store], ...added],
    };
    const ids = added.map(({ certId }) => certId);
    return { status: 201, body: store === 'ca' ? { certIds: ids } : { certId: ids[0] } };
  }

  #remove(store: StoreName, id: number): LocalAnswer {
    const used = store === 'tls' && Object.values(this.#saved.services).includes(id);
    if (used) return refused(409, { message: 'The certificate is in use by a service' });
    this.#saved = { ...this.#saved, [store]: this.#saved[store].filter(({ certId }) => certId !== id) };
    return done;
  }

  #select(name: ServiceName, body: unknown): LocalAnswer {
    const fault = schemaFault(selection, body);
    if (fault !== null) return badRequest(fault);
    const certId = isObject(body) ? Number(body.certId) : 0;
    if (!this.#saved.tls.some((certificate) => certificate.certId === certId)) {
      return badRequest({ path: 'certId', reason: 'is not that of an installed certificate' });
    }
    this.#saved = { ...this.#saved, services: { ...this.#saved.services, [name]: certId } };
    return done;
  }
}

type Readable = Omit<StoredCertificate, 'certId'>;

const notFound: LocalAnswer = refused(404, { message: 'Certificate not found' });

function shown({ certId, format, subject }: StoredCertificate) {
  return { certId, format, subject };
}

/** A form's file, a bare body, or JSON `{certFile, password?}` with PEM text. */
function uploadOf({ upload, body }: LocalRequest): LocalUpload | null {
  if (upload !== undefined) return upload;
  if (!isObject(body) || typeof body.certFile !== 'string') return null;
  const password = typeof body.password === 'string' ? [['password', body.password] as const] : [];
  return { content: Buffer.from(body.certFile), fields: new Map(password) };
}

function authoritiesOf({ content }: LocalUpload): readonly Readable[] | string {
  const blocks = Buffer.from(content).toString('latin1').match(PEM_CERTIFICATE) ?? [];
  const certificates = blocks.map(parseCertificate);
  const readable = certificates.filter((certificate) => certificate !== null);
  if (readable.length === 0 || readable.length < blocks.length) return 'is no PEM bundle of certificates';
  if (!readable.every(({ ca }) => ca)) return 'holds a certificate that is not an authority’s';
  return readable.map((certificate) => ({
    format: 'pem',
    subject: subjectOf(certificate),
    content: certificate.toString(),
  }));
}

/** The extended key usage must include client authentication, as the reader demands. */
function ownOf({ content, fields }: LocalUpload): readonly Readable[] | string {
  const text = Buffer.from(content).toString('latin1');
  if (!text.includes('-----BEGIN')) return archiveOf(content, fields.get('password') ?? '');
  const certificate = parseCertificate(text.match(PEM_CERTIFICATE)?.[0] ?? '');
  if (certificate === null) return 'has no certificate';
  if (!keyFits(certificate, text)) return 'has no private key that belongs to the certificate';
  if (!certificate.keyUsage?.includes(CLIENT_AUTH)) return 'is not for client authentication';
  return [{ format: 'pem', subject: subjectOf(certificate), content: text }];
}

function archiveOf(content: Uint8Array, passphrase: string): readonly Readable[] | string {
  try {
    createSecureContext({ pfx: Buffer.from(content), passphrase });
    return [{ format: 'pkcs12', subject: '', content: Buffer.from(content).toString('base64') }];
  } catch {
    return 'is neither PEM nor a PKCS#12 file that opens with this password';
  }
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function keyFits(certificate: X509Certificate, pem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem));
  } catch {
    return false;
  }
}

function subjectOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}
