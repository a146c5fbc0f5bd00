/** What an EPC can stand for, as its URI names it. */
export const epcSchemes = [
  ...(['sgtin', 'sscc', 'sgln', 'grai', 'giai', 'gsrn', 'gsrnp'] as const),
  ...(['gdti', 'cpi', 'sgcn', 'itip', 'gid', 'usdod'] as const),
] as const;
export type EpcScheme = (typeof epcSchemes)[number];

/** The schemes built on a GS1 company prefix. */
export type Gs1Scheme = Exclude<EpcScheme, 'gid' | 'usdod'>;

/**
 * How the company prefix and what follows it share their bits: `bits` and `digits` are of both together, and the partition
 * says where one ends. `exact`: with leading zeros; `number`: without; `text`: 7-bit characters.
 */
export interface PartitionedLayout {
  readonly bits: number;
  readonly digits: number;
  readonly kind: 'exact' | 'number' | 'text';
}

/**
 * How the serial number is written: a `number`; a number behind a 1 that keeps its leading zeros (`digits`); `text`; or
 * bits that are not used and have to be zero (`unused`).
 */
export interface SerialLayout {
  readonly kind: 'number' | 'digits' | 'text' | 'unused';
  readonly bits: number;
}

/** A binary encoding of GS1's Tag Data Standard that has a filter value and a partition. */
export interface EpcEncoding {
  readonly scheme: Gs1Scheme;
  readonly name: string;
  readonly bits: number;
  readonly body: PartitionedLayout;
  readonly serial: SerialLayout;
}

const exact = (bits: number, digits: number): PartitionedLayout => ({ bits, digits, kind: 'exact' });
const trade = exact(44, 13);
const location = exact(41, 12);
const shipping = exact(58, 17);
const returnable = exact(44, 12);
const number = (bits: number): SerialLayout => ({ kind: 'number', bits });
const text = (characters: number): SerialLayout => ({ kind: 'text', bits: characters * 7 });
const unused: SerialLayout = { kind: 'unused', bits: 24 };
const none: SerialLayout = { kind: 'unused', bits: 0 };

function encoding(name: string, body: PartitionedLayout, serial: SerialLayout): EpcEncoding {
  const [scheme = '', bits = ''] = name.toLowerCase().split('-');
  // The table below has no name that begins otherwise.
  return { scheme: scheme as Gs1Scheme, name, bits: Number(bits), body, serial };
}

/** The encodings by their header, the first byte. Those without filter or partition are read on their own. */
export const epcEncodings: ReadonlyMap<number, EpcEncoding> = new Map([
  [0x2c, encoding('GDTI-96', location, number(41))],
  [0x2d, encoding('GSRN-96', shipping, unused)],
  [0x2e, encoding('GSRNP-96', shipping, unused)],
  [0x30, encoding('SGTIN-96', trade, number(38))],
  [0x31, encoding('SSCC-96', shipping, unused)],
  [0x32, encoding('SGLN-96', location, number(41))],
  [0x33, encoding('GRAI-96', returnable, number(38))],
  [0x34, encoding('GIAI-96', { bits: 82, digits: 25, kind: 'number' }, none)],
  [0x36, encoding('SGTIN-198', trade, text(20))],
  [0x37, encoding('GRAI-170', returnable, text(16))],
  [0x38, encoding('GIAI-202', { bits: 188, digits: 30, kind: 'text' }, none)],
  [0x39, encoding('SGLN-195', location, text(20))],
  [0x3c, encoding('CPI-96', { bits: 51, digits: 15, kind: 'number' }, number(31))],
  [0x3e, encoding('GDTI-174', location, text(17))],
  [0x3f, encoding('SGCN-96', location, { kind: 'digits', bits: 41 })],
  [0x40, encoding('ITIP-110', trade, number(38))],
  [0x41, encoding('ITIP-212', trade, text(20))],
]);

/** Bits of the company prefix by partition value; its digits are 12 less the partition. */
export const prefixBits: readonly number[] = [40, 37, 34, 30, 27, 24, 20];

/** Headers of encodings that are known by name only. */
export const unreadEncodings: ReadonlyMap<number, string> = new Map([
  [0x3a, 'GDTI-113'],
  [0x3b, 'ADI-var'],
  [0x3d, 'CPI-var'],
  [0xf0, 'CPI+'],
  [0xf1, 'GRAI+'],
  [0xf2, 'SGLN+'],
  [0xf3, 'ITIP+'],
  [0xf4, 'GSRN+'],
  [0xf5, 'GSRNP+'],
  [0xf6, 'GDTI+'],
  [0xf7, 'SGTIN+'],
  [0xf8, 'SGCN+'],
  [0xf9, 'SSCC+'],
  [0xfa, 'GIAI+'],
  [0xfb, 'DSGTIN+'],
]);
