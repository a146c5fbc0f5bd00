import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openssl } from './openssl.ts';

const SEQUENCE = 0x30;
const SET = 0x31;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const BMP_STRING = 0x1e;
const UTC_TIME = 0x17;
const CN = Buffer.from('0603550403', 'hex');
/** The places of the two fields in the part that is signed. */
const VALIDITY = 4;
const SUBJECT = 5;

/** What `openssl` refuses to write into a certificate, as DER. */
export interface Fields {
  readonly subject?: Buffer;
  readonly validity?: Buffer;
}

/** A subject of nothing but common names: any text at all, of any length, as many as given. */
export function commonNames(...names: readonly string[]): Buffer {
  return subjectOf(names.map((name) => element(UTF8_STRING, Buffer.from(name))));
}

/** A subject of one common name in UTF-16, which certificates may use as well. */
export function wideCommonName(name: string): Buffer {
  return subjectOf([element(BMP_STRING, Buffer.from(name, 'utf16le').swap16())]);
}

/** From one time to another, ISO 8601 and before 2050. */
export function validity(from: string, to: string): Buffer {
  return element(SEQUENCE, ...[from, to].map((time) => element(UTC_TIME, utcTime(time))));
}

/** The certificate in `cert` with other fields, signed anew by `openssl` with `issuerKey`; PEM. */
export async function signedAnew(o: {
  dir: string;
  cert: string;
  issuerKey: string;
  fields: Fields;
}): Promise<Buffer> {
  const certificate = new X509Certificate(await readFile(o.cert));
  const [tbs, algorithm] = partsOf(contentOf(certificate.raw));
  if (!tbs || !algorithm) throw new Error('a certificate has three parts');
  const fields = partsOf(contentOf(tbs));
  if (o.fields.validity) fields[VALIDITY] = o.fields.validity;
  if (o.fields.subject) fields[SUBJECT] = o.fields.subject;
  const changed = element(SEQUENCE, ...fields);
  const signature = await sign(o.dir, changed, o.issuerKey);
  const bits = element(BIT_STRING, Buffer.of(0), signature);
  return pem(element(SEQUENCE, changed, algorithm, bits));
}

/** The certificate with the last bit of its signature turned over; PEM. */
export function brokenSignature(certificate: Buffer): Buffer {
  const der = Buffer.from(new X509Certificate(certificate).raw);
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
  return pem(der);
}

async function sign(dir: string, bytes: Buffer, key: string): Promise<Buffer> {
  const [input, output] = [join(dir, 'tbs.der'), join(dir, 'tbs.sig')];
  await writeFile(input, bytes);
  await openssl('dgst', '-sha256', '-sign', key, '-out', output, input);
  return readFile(output);
}

function subjectOf(values: readonly Buffer[]): Buffer {
  return element(SEQUENCE, ...values.map((value) => element(SET, element(SEQUENCE, CN, value))));
}

/** `20240131120000Z` without the century. */
function utcTime(time: string): Buffer {
  return Buffer.from(
    `${new Date(time)
      .toISOString()
      .replaceAll(/[-:T]|\.\d+/g, '')
      .slice(2)}`,
  );
}

function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  if (size < 0x80) return Buffer.concat([Buffer.of(tag, size), content]);
  const bytes = size < 0x100 ? 1 : size < 0x10000 ? 2 : 3;
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(size, 0, bytes);
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes), length, content]);
}

function contentOf(der: Buffer): Buffer {
  const { start, end } = boundsAt(der, 0);
  return der.subarray(start, end);
}

function partsOf(content: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const { end } = boundsAt(content, at);
    parts.push(content.subarray(at, end));
    at = end;
  }
  return parts;
}

function boundsAt(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = der.readUInt8(at + 1);
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + bytes;
  return { start, end: start + (bytes === 0 ? first : der.readUIntBE(at + 2, bytes)) };
}

function pem(der: Buffer): Buffer {
  const lines = der.toString('base64').replaceAll(/.{1,64}/g, '$&\n');
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`);
}
