import { type KeyObject, sign, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';
import {
  childrenOf,
  keyIdentifier,
  publicKeyNode,
  signedPart,
  subjectKeyIdentifierOf,
  subjectNode,
  tbsFields,
} from './der.ts';

const { asn1, pki } = forge;
const signAsync = promisify(sign);

/** What the certificate may be used for. */
type Purpose =
  | { readonly kind: 'authority' }
  | { readonly kind: 'client' }
  | { readonly kind: 'server'; readonly names: readonly string[]; readonly addresses: readonly string[] };

/** The content of a certificate to be made. Times are milliseconds since 1970, cut to whole seconds. */
export interface CertificateContent {
  readonly commonName: string;
  readonly organisation: string;
  readonly publicKey: KeyObject;
  /** 32 upper-case hex digits, the first from 4 to 7 (see `makeSerialNumber`). */
  readonly serialNumber: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly purpose: Purpose;
}

/** Who signs: an RSA key and its certificate; no certificate for one that signs itself. */
export interface Signer {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate | null;
}

/** Sixteen random bytes as a serial number: positive, and of one length however it is printed. */
export function makeSerialNumber(random: (size: number) => Uint8Array): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex').toUpperCase();
}

/**
 * Makes and signs a certificate (SHA-256 with RSA). node-forge lays out the fields and nothing else; node:crypto signs
 * off the event loop, and reads the result back, so what is returned is known to carry this key and a good signature.
 */
export async function makeCertificate(content: CertificateContent, signer: Signer): Promise<X509Certificate> {
  const draft = draftCertificate(content, signer);
  draft.tbsCertificate = signedPart(draft);
  const fields = childrenOf(draft.tbsCertificate);
  if (signer.certificate) fields[tbsFields.issuer] = subjectNode(signer.certificate);
  fields[tbsFields.publicKey] = publicKeyNode(content.publicKey);
  const bytes = Buffer.from(asn1.toDer(draft.tbsCertificate).getBytes(), 'latin1');
  draft.signature = (await signAsync('sha256', bytes, signer.privateKey)).toString('latin1');
  const made = new X509Certificate(pki.certificateToPem(draft).replaceAll('\r', ''));
  const signerKey = signer.certificate?.publicKey ?? content.publicKey;
  if (!made.verify(signerKey) || !made.publicKey.equals(content.publicKey)) {
    throw new Error('a certificate just made does not verify');
  }
  return made;
}

function draftCertificate(content: CertificateContent, signer: Signer): forge.pki.Certificate {
  const draft = pki.createCertificate();
  // A placeholder, for forge knows RSA keys only; the real key replaces it in the finished structure.
  draft.publicKey = pki.rsa.setPublicKey(new forge.jsbn.BigInteger('3'), new forge.jsbn.BigInteger('3'));
  draft.serialNumber = content.serialNumber.toLowerCase();
  draft.validity.notBefore = wholeSeconds(content.notBefore);
  draft.validity.notAfter = wholeSeconds(content.notAfter);
  const name = [nameField('O', content.organisation), nameField('CN', content.commonName)];
  draft.setSubject(name);
  draft.setIssuer(name);
  draft.setExtensions(extensionsOf(content, signer));
  draft.signatureOid = pki.oids.sha256WithRSAEncryption ?? '';
  draft.siginfo.algorithmOid = draft.signatureOid;
  return draft;
}

function nameField(shortName: string, value: string): forge.pki.CertificateField {
  // UTF8String: a PrintableString has no underscore, and no letters beyond ASCII. The types take the tag for another enum.
  return { shortName, value, valueTagClass: asn1.Type.UTF8 as unknown as forge.asn1.Class };
}

function extensionsOf(content: CertificateContent, signer: Signer): object[] {
  const own = keyIdentifier(content.publicKey);
  const issuer = signer.certificate ? subjectKeyIdentifierOf(signer.certificate) : own.toString('latin1');
  const subjectKey = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, own.toString('latin1'));
  return [
    ...usageOf(content.purpose),
    { name: 'subjectKeyIdentifier', value: subjectKey },
    ...(issuer === null ? [] : [{ name: 'authorityKeyIdentifier', keyIdentifier: issuer }]),
  ];
}

function usageOf(purpose: Purpose): object[] {
  if (purpose.kind === 'authority') {
    return [
      { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
      { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    ];
  }
  // Every cipher suite in use signs with the leaf's key; nothing is ever encrypted to it.
  const leaf = [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true },
  ];
  if (purpose.kind === 'client') return [...leaf, { name: 'extKeyUsage', clientAuth: true }];
  const altNames = [
    ...purpose.names.map((value) => ({ type: 2, value })),
    ...purpose.addresses.map((ip) => ({ type: 7, ip })),
  ];
  return [...leaf, { name: 'extKeyUsage', serverAuth: true }, { name: 'subjectAltName', altNames }];
}

function wholeSeconds(time: number): Date {
  return new Date(Math.floor(time / 1000) * 1000);
}
