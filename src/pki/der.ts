import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import forge from 'node-forge';

const { asn1, pki } = forge;

/** A node of a parsed or drafted certificate. */
export type DerNode = forge.asn1.Asn1;

/** Where in the signed part of a certificate each field stands. */
export const tbsFields = { issuer: 3, subject: 5, publicKey: 6 } as const;

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const EXTENSIONS_TAG = 3;

/** The signed part of a drafted certificate. */
export function signedPart(draft: forge.pki.Certificate): DerNode {
  // The published types lack this function of node-forge.
  const typed = pki as unknown as { getTBSCertificate(certificate: forge.pki.Certificate): DerNode };
  return typed.getTBSCertificate(draft);
}

/** Parses DER. Bit strings stay bytes: a public key must come out as it went in. */
function parseDer(der: Uint8Array): DerNode {
  // The published types know the older, boolean form of the second argument only.
  const typed = asn1 as unknown as { fromDer(bytes: string, options: object): DerNode };
  return typed.fromDer(Buffer.from(der).toString('latin1'), { strict: true, decodeBitStrings: false });
}

/** A public key as the certificate holds it. */
export function publicKeyNode(publicKey: KeyObject): DerNode {
  return parseDer(publicKey.export({ type: 'spki', format: 'der' }));
}

/** Names a public key in 20 bytes: the subject and authority key identifiers of our certificates (RFC 7093, method 1). */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  const bits = Buffer.from(textOf(child(publicKeyNode(publicKey), 1)), 'latin1').subarray(1);
  return createHash('sha256').update(bits).digest().subarray(0, 20);
}

/** The subject of a certificate byte for byte: encoding a name anew may choose other string types. */
export function subjectNode(certificate: X509Certificate): DerNode {
  return child(child(parseDer(certificate.raw), 0), tbsFields.subject);
}

/** The same as DER. */
export function subjectDer(certificate: X509Certificate): Buffer {
  return Buffer.from(asn1.toDer(subjectNode(certificate)).getBytes(), 'latin1');
}

/** The subject key identifier a certificate carries, as a byte string; null without one. */
export function subjectKeyIdentifierOf(certificate: X509Certificate): string | null {
  const fields = childrenOf(child(parseDer(certificate.raw), 0));
  const contextual = fields.filter((field) => field.tagClass === asn1.Class.CONTEXT_SPECIFIC);
  const wrapper = contextual.find((field) => Number(field.type) === EXTENSIONS_TAG);
  const extensions = wrapper ? childrenOf(child(wrapper, 0)) : [];
  const found = extensions.find((each) => asn1.derToOid(textOf(child(each, 0))) === SUBJECT_KEY_IDENTIFIER);
  const value = found && childrenOf(found).at(-1);
  return value ? textOf(parseDer(Buffer.from(textOf(value), 'latin1'))) : null;
}

/** The parts of a constructed node. */
export function childrenOf(node: DerNode): DerNode[] {
  if (typeof node.value === 'string') throw new Error('a certificate field has no parts');
  return node.value;
}

function child(node: DerNode, index: number): DerNode {
  const found = childrenOf(node)[index];
  if (!found) throw new Error('a certificate field is missing');
  return found;
}

function textOf(node: DerNode): string {
  if (typeof node.value !== 'string') throw new Error('a certificate field is not a plain value');
  return node.value;
}
