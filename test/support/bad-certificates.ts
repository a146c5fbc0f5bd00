import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { type CertificateBench, type ClientIdentity, extensions } from './certificate-bench.ts';
import { brokenSignature, commonNames, type Fields, validity, wideCommonName } from './der-certificate.ts';
import { makeKey, openssl } from './openssl.ts';

/** A certificate that must not get in: how it is made, and what the appliance says about it. */
export interface BadCertificate {
  readonly what: string;
  readonly make: (bench: CertificateBench) => Promise<ClientIdentity>;
  /** The reason in the appliance's one log line. */
  readonly says: string | RegExp;
  /** How the client goes about TLS. */
  readonly tls?: ConnectionOptions;
}

const brokenRules =
  'the certificate breaks a rule: its key or signature is too weak, or its signer may not sign';
/** Else the client itself would not show such a certificate. */
const anyStrength = { ciphers: 'DEFAULT:@SECLEVEL=0' };

/** What TLS itself refuses: the connection ends without a CONNACK. */
export const refusedByTls: readonly BadCertificate[] = [
  {
    what: 'no certificate',
    make: async (bench) => ({ ca: await bench.trusted() }),
    says: 'the client showed no certificate',
  },
  {
    what: 'of another authority with the same name',
    make: async (bench) => bench.client({ issuer: await namesake(bench) }),
    says: 'the certificate was not signed by this authority',
  },
  {
    what: 'of another authority with the same name, shown along with it',
    make: async (bench) => {
      const issuer = await namesake(bench);
      return bench.client({ issuer, chain: [issuer.cert] });
    },
    says: 'the certificate was not signed by this authority',
  },
  {
    what: 'of another authority with another name',
    make: async (bench) => bench.client({ issuer: await bench.selfSigned({ name: 'Other', ca: true }) }),
    says: 'the certificate was not signed by this authority',
  },
  {
    what: 'that signed itself, with the right name',
    make: async (bench) => bench.existing(await bench.selfSigned({ ca: false })),
    says: 'the certificate was not signed by this authority',
  },
  {
    what: 'on record whose signature has a bit turned over',
    make: async (bench) => {
      const [cert, key] = await filesOf(bench);
      return { cert: brokenSignature(cert), key, ca: await bench.trusted() };
    },
    says: 'the certificate was not signed by this authority',
  },
  {
    what: 'that has expired',
    make: (bench) => bench.client(withFields({ validity: validity('2020-01-01', '2021-01-01') })),
    says: 'the certificate has expired',
  },
  {
    what: 'that is not valid yet',
    make: (bench) => bench.client(withFields({ validity: validity('2048-01-01', '2049-01-01') })),
    says: "the certificate is not valid yet; check this machine's clock",
  },
  {
    what: 'for servers only',
    make: (bench) => bench.client({ extensions: extensions.server }),
    says: 'the certificate is not one for clients',
  },
  {
    what: 'of the appliance itself, the one of its server',
    make: (bench) => {
      const certs = join(bench.own.cert, '..');
      return bench.existing({ cert: join(certs, 'server.crt'), key: join(certs, 'server.key') });
    },
    says: 'the certificate is not one for clients',
  },
  {
    what: 'of the authority itself',
    make: (bench) => bench.existing(bench.own),
    says: 'the certificate is not one for clients',
  },
  {
    what: 'of a sub-authority that the authority signed',
    make: async (bench) => {
      const issuer = await bench.subAuthority(bench.own);
      return bench.client({ issuer, chain: [issuer.cert] });
    },
    says: 'the certificate was signed by another than this authority itself',
  },
  {
    what: 'signed with the certificate of a reader in service',
    make: async (bench) => {
      const issuer = { cert: join(bench.other.dir, 'client.crt'), key: join(bench.other.dir, 'client.key') };
      return bench.client({ issuer, chain: [issuer.cert] });
    },
    says: brokenRules,
  },
  {
    what: 'with a key of RSA 1024',
    make: (bench) => bench.client({ keyKind: 'rsa:1024' }),
    says: brokenRules,
    tls: anyStrength,
  },
  {
    what: 'signed with SHA-1',
    make: (bench) => bench.client({ digest: 'sha1' }),
    says: brokenRules,
    tls: anyStrength,
  },
  {
    what: 'with a name of 200,000 bytes',
    make: (bench) => bench.client(withFields({ subject: commonNames('x'.repeat(200_000)) })),
    says: /message size/,
  },
];

/** Faultless certificates of our own authority, but for the name. */
export const badNames: readonly BadCertificate[] = [
  named('no name at all', [], /no reader serial: none/),
  named('an empty name', [''], /no reader serial: ""/),
  named('two names, both of readers', (control, other) => [control, other], /no reader serial: \[/),
  named('the name of a reader twice', (control) => [control, control], /no reader serial: \[/),
  named('a wildcard', ['#'], /no reader serial: "#"/),
  named('a plus', ['+'], /no reader serial: "\+"/),
  named('a topic of two levels', (control) => [`${control}/events`], /no reader serial: "/),
  named('a path upwards', ['../..'], /no reader serial: "\.\.\/\.\."/),
  named('a name with NUL behind it', (control) => [`${control}\0.example`], /no reader serial: "/),
  named('a name with a newline behind it', (control) => [`${control}\n`], /no reader serial: ".*\\n"/),
  named('a name with a blank behind it', (control) => [`${control} `], /no reader serial: ".* "/),
  named('65 characters', ['x'.repeat(65)], /no reader serial: "x{65}"/),
  named('20,000 bytes', ['x'.repeat(20_000)], /^certificate name is no reader serial: "x{99}$/),
  named('letters of another alphabet that look the same', ['СО-1'], /no reader serial: "СО-1"/),
  named('__proto__', ['__proto__'], 'no device with serial __proto__ is registered'),
  named('constructor', ['constructor'], 'no device with serial constructor is registered'),
  named('small letters', (control) => [control.toLowerCase()], /no device with serial .* is registered/),
  {
    what: 'the right name written in UTF-16',
    make: (bench) => bench.client(withFields({ subject: wideCommonName(bench.control.serial) })),
    says: 'the certificate is not one on record',
  },
];

/** Faultless certificates of our own authority with the right name, but not those that were given out. */
export const notOnRecord: readonly BadCertificate[] = [
  {
    what: 'signed with our key but never given out',
    make: (bench) => bench.client(),
    says: 'the certificate is not one on record',
  },
  {
    what: 'without a purpose, so for any',
    make: (bench) => bench.client({ extensions: extensions.anyPurpose }),
    says: 'the certificate is not one on record',
  },
  {
    what: 'with the serial number of the one on record and another key',
    make: async (bench) => bench.client({ serialNumber: await serialNumberOf(bench) }),
    says: 'the certificate differs from the one on record',
  },
  {
    what: "with another reader's name and a serial number on record",
    make: async (bench) =>
      bench.client({ name: bench.other.serial, serialNumber: await serialNumberOf(bench) }),
    says: 'the certificate is not one on record',
  },
];

function withFields(fields: Fields): { readonly fields: Fields } {
  return { fields };
}

type Names = readonly string[];

function named(
  what: string,
  names: Names | ((control: string, other: string) => Names),
  says: string | RegExp,
): BadCertificate {
  return {
    what: `named by ${what}`,
    says,
    make: (bench) => {
      const chosen = typeof names === 'function' ? names(bench.control.serial, bench.other.serial) : names;
      return bench.client(withFields({ subject: commonNames(...chosen) }));
    },
  };
}

async function serialNumberOf(bench: CertificateBench): Promise<string> {
  return `0x${(await bench.certificate()).serialNumber}`;
}

function filesOf(bench: CertificateBench): Promise<[Buffer, Buffer]> {
  const file = (name: string) => readFile(join(bench.control.dir, name));
  return Promise.all([file('client.crt'), file('client.key')]);
}

/** Another authority, with the name of ours. */
async function namesake(bench: CertificateBench) {
  const ours = new X509Certificate(await bench.trusted());
  const files = { cert: join(bench.dir, 'namesake.crt'), key: join(bench.dir, 'namesake.key') };
  await makeKey(files.key, 'rsa:2048');
  const name = ['-subj', `/${ours.subject.split('\n').join('/')}`];
  const made = ['-days', '30', ...name, '-addext', 'basicConstraints=critical,CA:TRUE'];
  await openssl('req', '-x509', '-new', '-key', files.key, '-out', files.cert, ...made);
  if (new X509Certificate(await readFile(files.cert)).subject !== ours.subject)
    throw new Error('the other authority has another name');
  return files;
}
