import { X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Appliance, ReaderInService } from './appliance.ts';
import { type Fields, signedAnew } from './der-certificate.ts';
import { makeKey, makeSelfSigned, signWith } from './openssl.ts';

/** What a client shows in TLS, and whom it trusts. */
export interface ClientIdentity {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The files of a certificate and its key. */
export interface Issuer {
  readonly cert: string;
  readonly key: string;
}

const LEAF = 'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n';
/** Extensions as `openssl` reads them: what the appliance's own certificates have, and others. */
export const extensions = {
  client: `${LEAF}extendedKeyUsage=clientAuth\n`,
  server: `${LEAF}extendedKeyUsage=serverAuth\n`,
  anyPurpose: LEAF,
  authority: 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n',
} as const;

export interface Wanted {
  /** The common name, when it is an ordinary one. */
  readonly name?: string;
  /** The appliance's own authority by default. */
  readonly issuer?: Issuer;
  readonly extensions?: string;
  /** What the client shows beside its certificate. */
  readonly chain?: readonly string[];
  readonly keyKind?: 'ec' | 'rsa:1024';
  readonly digest?: 'sha1';
  readonly serialNumber?: string;
  /** Put in place of what `openssl` writes. */
  readonly fields?: Fields;
}

/** Makes certificates of every kind with `openssl`, the appliance's own authority key among its tools. */
export class CertificateBench {
  readonly dir: string;
  readonly own: Issuer;
  readonly control: ReaderInService;
  readonly other: ReaderInService;
  #files = 0;

  constructor(appliance: Appliance, readers: { control: ReaderInService; other: ReaderInService }) {
    this.dir = join(appliance.root, 'bench');
    mkdirSync(this.dir);
    const certs = join(appliance.root, 'certs');
    this.own = { cert: join(certs, 'ca.crt'), key: join(certs, 'ca.key') };
    this.control = readers.control;
    this.other = readers.other;
  }

  /** The certificate the control reader was given. */
  async certificate(): Promise<X509Certificate> {
    return new X509Certificate(await readFile(join(this.control.dir, 'client.crt')));
  }

  /** A client certificate, faultless but for what is wanted of it. */
  async client(wanted: Wanted = {}): Promise<ClientIdentity> {
    const issuer = wanted.issuer ?? this.own;
    const leaf = await this.#leaf(wanted, issuer);
    const certificate = wanted.fields
      ? await signedAnew({ dir: this.dir, cert: leaf.cert, issuerKey: issuer.key, fields: wanted.fields })
      : await readFile(leaf.cert);
    const chain = await Promise.all((wanted.chain ?? []).map((file) => readFile(file)));
    return {
      cert: Buffer.concat([certificate, ...chain]),
      key: await readFile(leaf.key),
      ca: await this.trusted(),
    };
  }

  /** An authority that signed itself, named as it likes: the control reader by default. */
  async selfSigned(options: { readonly name?: string; readonly ca: boolean }): Promise<Issuer> {
    const made = this.#next();
    await makeKey(made.key, 'ec');
    const { name = this.control.serial, ca } = options;
    await makeSelfSigned({ key: made.key, out: made.cert, name, ca });
    return made;
  }

  /** A certificate that says it may sign others, whoever signed it. */
  async subAuthority(issuer: Issuer): Promise<Issuer> {
    return this.#leaf({ name: 'Sub CA', extensions: extensions.authority }, issuer);
  }

  /** A certificate and a key that are there already. */
  async existing({ cert, key }: Issuer): Promise<ClientIdentity> {
    return { cert: await readFile(cert), key: await readFile(key), ca: await this.trusted() };
  }

  trusted(): Promise<Buffer> {
    return readFile(this.own.cert);
  }

  async #leaf(wanted: Wanted, issuer: Issuer): Promise<Issuer> {
    const made = this.#next();
    await makeKey(made.key, wanted.keyKind ?? 'ec');
    await signWith({
      dir: this.dir,
      key: made.key,
      out: made.cert,
      name: wanted.name ?? this.control.serial,
      issuerCert: issuer.cert,
      issuerKey: issuer.key,
      extensions: wanted.extensions ?? extensions.client,
      ...(wanted.serialNumber === undefined ? {} : { serialNumber: wanted.serialNumber }),
      ...(wanted.digest === undefined ? {} : { digest: wanted.digest }),
    });
    return made;
  }

  #next(): Issuer {
    const file = join(this.dir, `${++this.#files}`);
    return { cert: `${file}.crt`, key: `${file}.key` };
  }
}
