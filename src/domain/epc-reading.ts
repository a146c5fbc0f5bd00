import { EpcBits, UnreadableEpc } from './epc-bits.ts';
import { type EpcElement, type EpcParts, gs1KeyOf } from './epc-elements.ts';
import {
  type EpcEncoding,
  type EpcScheme,
  epcEncodings,
  type PartitionedLayout,
  prefixBits,
  type SerialLayout,
  unreadEncodings,
} from './epc-schemes.ts';

/** What an EPC says by GS1's Tag Data Standard. When it says nothing all but `text` and `problem` are null or empty. */
export interface EpcReading {
  readonly scheme: EpcScheme | null;
  /** `SGTIN-96` */
  readonly encoding: string | null;
  /** `urn:epc:id:sgtin:0614141.812345.6789` */
  readonly uri: string | null;
  /** `urn:epc:tag:sgtin-96:3.0614141.812345.6789` */
  readonly tagUri: string | null;
  readonly elements: readonly EpcElement[];
  /** GS1 Digital Link, for schemes that have one. */
  readonly digitalLink: string | null;
  /** One line for people. */
  readonly text: string;
  /** Why nothing could be read, in words. */
  readonly problem: string | null;
}

/** Tags hold their EPC in words of so many bits. */
const WORD_BITS = 16;
const GID = 0x35;
const USDOD = 0x2f;

/**
 * Reads an EPC (hexadecimal digits, at least two). Everything is checked as the standard has it: length, partition, digits,
 * characters, bits that are not used; whatever breaks a rule is no EPC, and `problem` says which. Never throws.
 */
export function readEpc(epc: string): EpcReading {
  if (epc.length % 2 === 1) return unread('No GS1 code', `it has an odd number of digits, ${epc.length}`);
  const header = Number.parseInt(epc.slice(0, 2), 16);
  const encoding = epcEncodings.get(header);
  const name = encoding?.name ?? (header === GID ? 'GID-96' : header === USDOD ? 'USDOD-96' : null);
  if (name === null) return unread('No GS1 code', strangeHeader(header));
  try {
    if (encoding) return readPartitioned(epc, encoding);
    return header === GID ? readGid(epc) : readUsDod(epc);
  } catch (error) {
    if (!(error instanceof UnreadableEpc)) throw error;
    return unread(`No valid ${name}`, error.message);
  }
}

function unread(what: string, why: string): EpcReading {
  const nothing = { scheme: null, encoding: null, uri: null, tagUri: null, elements: [], digitalLink: null };
  return { ...nothing, text: `${what}: ${why}`, problem: `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.` };
}

function strangeHeader(header: number): string {
  const shown = `header 0x${header.toString(16).toUpperCase().padStart(2, '0')}`;
  const name = unreadEncodings.get(header);
  if (name !== undefined) return `${shown} is ${name}, which is not read here`;
  if (header === 0) return `${shown}, a tag that has not been written`;
  if (header === 0xe2) return `${shown}, as chips have it before an EPC is written`;
  return shown;
}

function bitsOf(epc: string, bits: number): EpcBits {
  const longest = Math.ceil(bits / WORD_BITS) * WORD_BITS;
  const has = epc.length * 4;
  if (has < bits || has > longest) throw new UnreadableEpc(`it has ${has} bits instead of ${bits}`);
  const reader = new EpcBits(epc);
  reader.take(8);
  return reader;
}

function readPartitioned(epc: string, encoding: EpcEncoding): EpcReading {
  const { scheme, name, body, serial } = encoding;
  const bits = bitsOf(epc, encoding.bits);
  const filter = String(bits.take(3));
  const { prefix, reference } = takeBody(bits, body);
  const pieces = scheme === 'itip' ? ([piece(bits, 'piece'), piece(bits, 'total')] as const) : undefined;
  const parts: EpcParts = { prefix, reference, serial: takeSerial(bits, serial), ...(pieces && { pieces }) };
  bits.takeZeros();
  const key = gs1KeyOf(scheme, parts);
  const fields = [prefix, reference, ...(pieces ?? []), ...(hasSerial(serial) ? [parts.serial] : [])];
  const told = fields.map(uriEscaped).join('.');
  return {
    ...{ scheme, encoding: name, uri: `urn:epc:id:${scheme}:${told}` },
    tagUri: `urn:epc:tag:${name.toLowerCase()}:${filter}.${told}`,
    elements: [
      ...key.elements,
      { name: 'companyPrefix', label: 'Company prefix', value: prefix },
      { name: 'filter', label: 'Filter', value: filter },
    ],
    digitalLink: `https://id.gs1.org/${key.path}`,
    text: lineOf(key.elements),
    problem: null,
  };
}

function takeBody(bits: EpcBits, { bits: all, digits, kind }: PartitionedLayout) {
  const partition = Number(bits.take(3));
  const ownBits = prefixBits[partition];
  if (ownBits === undefined) throw new UnreadableEpc(`its partition is ${partition}, more than 6`);
  const prefixDigits = 12 - partition;
  const prefix = bits.takeDigits(ownBits, prefixDigits, 'company prefix');
  const [restBits, restDigits] = [all - ownBits, digits - prefixDigits];
  if (kind === 'text') return { prefix, reference: bits.takeText(restBits, restDigits, 'reference') };
  const reference = bits.takeDigits(restBits, restDigits, 'reference');
  return { prefix, reference: kind === 'number' ? String(BigInt(reference)) : reference };
}

function piece(bits: EpcBits, what: string): string {
  return bits.takeDigits(7, 2, what);
}

function hasSerial({ kind }: SerialLayout): boolean {
  return kind !== 'unused';
}

function takeSerial(bits: EpcBits, { kind, bits: length }: SerialLayout): string {
  if (kind === 'text') return bits.takeText(length, length / 7, 'serial number');
  const number = bits.take(length);
  if (kind === 'unused' && number !== 0n) throw new UnreadableEpc('bits that are not used are set');
  if (kind !== 'digits') return String(number);
  const text = String(number);
  if (!text.startsWith('1') || text.length < 2)
    throw new UnreadableEpc(`its serial number ${text} is not written behind a 1`);
  return text.slice(1);
}

/** In an EPC URI these characters are escaped. */
function uriEscaped(field: string): string {
  return field.replace(/["%&/<>?]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `GTIN 80614141123458, serial 6789` */
function lineOf(elements: readonly EpcElement[]): string {
  return elements
    .map(({ label, value }, index) => `${index === 0 ? label : label.toLowerCase()} ${value}`)
    .join(', ');
}

function readGid(epc: string): EpcReading {
  const bits = bitsOf(epc, 96);
  const fields = [bits.take(28), bits.take(24), bits.take(36)].map(String);
  const [manager = '', objectClass = '', serial = ''] = fields;
  const elements = [
    { name: 'manager', label: 'General manager', value: manager },
    { name: 'class', label: 'Object class', value: objectClass },
    { name: 'serial', label: 'Serial', value: serial },
  ];
  return {
    ...{ scheme: 'gid', encoding: 'GID-96', uri: `urn:epc:id:gid:${fields.join('.')}` },
    ...{ tagUri: `urn:epc:tag:gid-96:${fields.join('.')}`, elements, digitalLink: null },
    ...{ text: lineOf(elements), problem: null },
  };
}

const CAGE = /^ ?[0-9A-HJ-NP-Z]{5,6}$/;

function readUsDod(epc: string): EpcReading {
  const bits = bitsOf(epc, 96);
  const filter = String(bits.take(4));
  const written = Array.from({ length: 6 }, () => String.fromCharCode(Number(bits.take(8)))).join('');
  if (!CAGE.test(written)) throw new UnreadableEpc('its supplier code is none of CAGE or DoDAAC');
  const [cage, serial] = [written.trim(), String(bits.take(36))];
  const elements = [
    { name: 'cage', label: 'CAGE', value: cage },
    { name: 'serial', label: 'Serial', value: serial },
    { name: 'filter', label: 'Filter', value: filter },
  ];
  return {
    ...{ scheme: 'usdod', encoding: 'USDOD-96', uri: `urn:epc:id:usdod:${cage}.${serial}` },
    ...{ tagUri: `urn:epc:tag:usdod-96:${filter}.${cage}.${serial}`, elements, digitalLink: null },
    ...{ text: lineOf(elements.slice(0, 2)), problem: null },
  };
}
