import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEpc } from '../../src/domain/epc-reading.ts';
import { epcEncodings, prefixBits, unreadEncodings } from '../../src/domain/epc-schemes.ts';

/** The examples of appendix E.3 of the Tag Data Standard (1.13 and 2.3), without the standard's own misprints. */
const standard: readonly (readonly [hex: string, tagUri: string, key: string, digitalLink: string])[] = [
  [
    '3074257BF7194E4000001A85',
    'sgtin-96:3.0614141.812345.6789',
    '80614141123458',
    '01/80614141123458/21/6789',
  ],
  [
    '3674257BF6B7A659B2C2BF1000000000000000000000000000',
    ...(['sgtin-198:3.0614141.712345.32a%2Fb', '70614141123451', '01/70614141123451/21/32a%2Fb'] as const),
  ],
  ['3174257BF4499602D2000000', 'sscc-96:3.0614141.1234567890', '106141412345678908', '00/106141412345678908'],
  ['3274257BF46072000000162E', 'sgln-96:3.0614141.12345.5678', '0614141123452', '414/0614141123452/254/5678'],
  [
    '3974257BF46072CD9615F8800000000000000000000000000000',
    ...(['sgln-195:3.0614141.12345.32a%2Fb', '0614141123452', '414/0614141123452/254/32a%2Fb'] as const),
  ],
  ['3374257BF40C0E400000162E', 'grai-96:3.0614141.12345.5678', '0614141123452', '8003/006141411234525678'],
  [
    '3774257BF40C0E59B2C2BF1000000000000000000000',
    ...(['grai-170:3.0614141.12345.32a%2Fb', '0614141123452', '8003/0061414112345232a%2Fb'] as const),
  ],
  ['3474257BF40000000000162E', 'giai-96:3.0614141.5678', '06141415678', '8004/06141415678'],
  [
    '3874257BF59B2C2BF10000000000000000000000000000000000',
    ...(['giai-202:3.0614141.32a%2Fb', '061414132a/b', '8004/061414132a%2Fb'] as const),
  ],
  [
    '2D74257BF4499602D2000000',
    'gsrn-96:3.0614141.1234567890',
    '061414112345678902',
    '8018/061414112345678902',
  ],
  [
    '2E74257BF4499602D2000000',
    'gsrnp-96:3.0614141.1234567890',
    '061414112345678902',
    '8017/061414112345678902',
  ],
  ['2C74257BF46072000000162E', 'gdti-96:3.0614141.12345.5678', '0614141123452', '253/06141411234525678'],
  [
    '3E74F4E4E7039B061438997367D0C18B266D1AB66EE0',
    ...(['gdti-174:3.4012345.98765.ABCDefgh012345678', '4012345987652'] as const),
    '253/4012345987652ABCDefgh012345678',
  ],
  [
    '3C74257BF400C0E680003039',
    'cpi-96:3.0614141.98765.12345',
    '061414198765',
    '8010/061414198765/8011/12345',
  ],
  ['3F74F4E4E612640000019907', 'sgcn-96:3.4012345.67890.04711', '4012345678901', '255/401234567890104711'],
  [
    '4074F4E4E40C0E40820000000F6C',
    ...(['itip-110:3.4012345.012345.01.02.987', '04012345123456'] as const),
    '8006/040123451234560102/21/987',
  ],
  [
    '4174F4E4E40C0E4082DBDD8B36600000000000000000000000000000',
    ...(['itip-212:3.4012345.012345.01.02.mw133', '04012345123456'] as const),
    '8006/040123451234560102/21/mw133',
  ],
];

describe('the examples of the standard', () => {
  test.each(standard)('%s is %s', (...[hex, tag, key, link]) => {
    const reading = readEpc(hex);
    expect(reading.tagUri).toBe(`urn:epc:tag:${tag}`);
    const [encoding = '', fields = ''] = tag.split(':');
    const scheme = encoding.split('-')[0];
    expect(reading).toMatchObject({ scheme, encoding: encoding.toUpperCase(), problem: null });
    expect(reading.uri).toBe(`urn:epc:id:${scheme}:${fields.slice(2)}`);
    expect(reading.elements[0]?.value).toBe(key);
    expect(reading.digitalLink).toBe(`https://id.gs1.org/${link}`);
    expect(reading.text).toContain(key);
  });

  test('a GID and a USDoD number have no company prefix and no Digital Link', () => {
    expect(readEpc('350007AB70425D4000000586')).toMatchObject({
      ...{ scheme: 'gid', uri: 'urn:epc:id:gid:31415.271828.1414', digitalLink: null },
      tagUri: 'urn:epc:tag:gid-96:31415.271828.1414',
    });
    expect(readEpc('2F320434147455900000162E')).toMatchObject({
      ...{ scheme: 'usdod', uri: 'urn:epc:id:usdod:CAGEY.5678', text: 'CAGE CAGEY, serial 5678' },
      tagUri: 'urn:epc:tag:usdod-96:3.CAGEY.5678',
    });
  });

  test('one line says what a person reads first', () => {
    expect(readEpc('3074257BF7194E4000001A85').text).toBe('GTIN 80614141123458, serial 6789');
    expect(readEpc('3174257BF4499602D2000000').text).toBe('SSCC 106141412345678908');
    expect(readEpc('4074F4E4E40C0E40820000000F6C').text).toBe(
      'GTIN 04012345123456, piece 01 of 02, serial 987',
    );
  });

  test('a location without extension has none in its elements', () => {
    const { text, digitalLink } = readEpc('3274257BF460720000000000');
    expect([text, digitalLink]).toEqual(['GLN 0614141123452', 'https://id.gs1.org/414/0614141123452']);
  });
});

describe('what is no EPC says why', () => {
  test.each([
    ['E2801160600002000000AB01', 'No GS1 code: header 0xE2, as chips have it before an EPC is written'],
    ['000000000000000000000000', 'No GS1 code: header 0x00, a tag that has not been written'],
    ['AB01AB01', 'No GS1 code: header 0xAB'],
    ['F73795211411234538566CB0AFC4', 'No GS1 code: header 0xF7 is SGTIN+, which is not read here'],
    ['3074257BF7194E4000001A8', 'No GS1 code: it has an odd number of digits, 23'],
    ['3074257BF7194E40', 'No valid SGTIN-96: it has 64 bits instead of 96'],
    ['3074257BF7194E4000001A8500', 'No valid SGTIN-96: it has 104 bits instead of 96'],
    ['307C257BF7194E4000001A85', 'No valid SGTIN-96: its partition is 7, more than 6'],
    ['3077FFFFF7194E4000001A85', 'No valid SGTIN-96: the company prefix is 16777213, more than 7 digits'],
    ['3074257BFFFFFFC000001A85', 'No valid SGTIN-96: the reference is 1048575, more than 6 digits'],
    ['3174257BF4499602D2000001', 'No valid SSCC-96: bits that are not used are set'],
    ['3F74F4E4E612640000000007', 'No valid SGCN-96: its serial number 7 is not written behind a 1'],
    [`3674257BF6B7A6${'0'.repeat(36)}`, 'No valid SGTIN-198: the serial number is empty'],
    [
      '3674257BF6B7A659B2C2BF1000000000000000000000000040',
      'No valid SGTIN-198: the serial number goes on after its end',
    ],
    ['2F3FF434147455900000162E', 'No valid USDOD-96: its supplier code is none of CAGE or DoDAAC'],
  ])('%s: %s', (hex, text) => {
    const reading = readEpc(hex);
    expect(reading).toMatchObject({ scheme: null, encoding: null, uri: null, tagUri: null, elements: [] });
    expect(reading.text).toBe(text);
    expect(reading.problem).toMatch(/^[A-Z].*\.$/);
  });

  test('with a company prefix of 12 digits a location reference has none', () => {
    const hex = binary([
      ['00110010', 8],
      [0n, 3],
      [0n, 3],
      [123456789012n, 40],
      [0n, 1],
      [0n, 41],
    ]);
    expect(readEpc(hex).uri).toBe('urn:epc:id:sgln:123456789012..0');
    const broken = binary([
      ['00110010', 8],
      [0n, 3],
      [0n, 3],
      [123456789012n, 40],
      [1n, 1],
      [0n, 41],
    ]);
    expect(readEpc(broken).problem).toBe('The reference is 1, more than 0 digits.');
  });

  test('every header of a known encoding is unlike every other', () => {
    expect([...epcEncodings.keys()].filter((header) => unreadEncodings.has(header))).toEqual([]);
    for (const { name, scheme, bits } of epcEncodings.values())
      expect(name).toBe(`${scheme.toUpperCase()}-${bits}`);
  });
});

/** Bits as hexadecimal digits, filled up to whole words. */
function binary(fields: readonly (readonly [bigint | string, number])[]): string {
  const bits = fields
    .map(([value, length]) => (typeof value === 'string' ? value : value.toString(2)).padStart(length, '0'))
    .join('');
  const words = bits.padEnd(Math.ceil(bits.length / 16) * 16, '0');
  return (words.match(/.{4}/g) ?? [])
    .map((four) => Number.parseInt(four, 2).toString(16))
    .join('')
    .toUpperCase();
}

const characters = (text: string, bits: number): string =>
  [...text]
    .map((one) => one.charCodeAt(0).toString(2).padStart(7, '0'))
    .join('')
    .padEnd(bits, '0');

/** An EPC from its tag URI, by the rules of the standard and not by the code under test. */
function encode(tagUri: string): string {
  const [, name = '', told = ''] = /^urn:epc:tag:([^:]+):(.*)$/.exec(tagUri) ?? [];
  const [header, encoding] = [...epcEncodings].find(([, one]) => one.name === name.toUpperCase()) ?? [];
  if (header === undefined || !encoding) throw new Error(name);
  const { body, serial, scheme } = encoding;
  // A dot may also be within the last field: it is not escaped.
  const all = told.split('.');
  const count = 2 + (scheme === 'itip' ? 3 : 1) + (serial.kind === 'unused' ? 0 : 1);
  const split = [...all.slice(0, count - 1), all.slice(count - 1).join('.')].map(decodeURIComponent);
  const [filter = '', prefix = '', reference = '', ...rest] = split;
  const partition = 12 - prefix.length;
  const ownBits = prefixBits[partition] ?? 0;
  const last = rest.at(-1) ?? '';
  const serials = {
    number: () => BigInt(last).toString(2).padStart(serial.bits, '0'),
    digits: () => BigInt(`1${last}`).toString(2).padStart(serial.bits, '0'),
    text: () => characters(last, serial.bits),
    unused: () => '0'.repeat(serial.bits),
  };
  const referenceBits =
    body.kind === 'text' ? characters(reference, body.bits - ownBits) : BigInt(reference || 0);
  return binary([
    ...([
      [BigInt(header), 8],
      [BigInt(filter), 3],
      [BigInt(partition), 3],
      [BigInt(prefix), ownBits],
    ] as const),
    [referenceBits, body.bits - ownBits],
    ...(scheme === 'itip' ? rest.slice(0, 2).map((one) => [BigInt(one), 7] as const) : []),
    [serials[serial.kind](), serial.bits],
  ]);
}

const hexDigit = fc.constantFrom(...'0123456789ABCDEF');
const anyHex = fc.array(hexDigit, { minLength: 8, maxLength: 64 }).map((digits) => digits.join(''));
const known = fc.constantFrom(...epcEncodings);
/** Bits that look like an EPC of a known encoding: mostly zeros behind its end, partition 0 to 7. */
const likely = fc
  .tuple(known, fc.nat(7), fc.nat(7), fc.bigInt(0n, (1n << 190n) - 1n), fc.nat(190))
  .map(([[header, { bits }], filter, partition, noise, shift]) => {
    const rest = BigInt.asUintN(bits - 14, noise >> BigInt(shift)) << BigInt(fcShift(bits, shift));
    return binary([
      [BigInt(header), 8],
      [BigInt(filter), 3],
      [BigInt(partition), 3],
      [BigInt.asUintN(bits - 14, rest), bits - 14],
    ]);
  });
const fcShift = (bits: number, shift: number): number => (shift % 2 === 0 ? 0 : Math.max(0, bits - 90));

const digits = (length: number) =>
  fc
    .bigInt(0n, 10n ** BigInt(length) - 1n)
    .map((one) => (length === 0 ? '' : String(one).padStart(length, '0')));
const gs1Characters = [...`!"%&'()*+,-./0123456789:;<=>?ABCXYZ_abcxyz`];
const serialText = (max: number) =>
  fc
    .array(fc.constantFrom(...gs1Characters), { minLength: 1, maxLength: Math.max(1, max) })
    .map((all) => all.join(''));
const uriEscape = (text: string): string =>
  text.replace(/["%&/<>?]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** A tag URI that the standard allows. */
const tagUri = fc
  .tuple(known, fc.nat(6), fc.nat(7))
  .chain(([[, { name, body, serial, scheme }], partition, filter]) => {
    const room = body.digits - (12 - partition);
    const short = Math.min(room, 18);
    const reference = {
      exact: digits(room),
      number: fc
        .bigInt(0n, (1n << BigInt(body.bits - (prefixBits[partition] ?? 0))) - 1n)
        .map(String)
        .filter((one) => one.length <= room),
      text: serialText(short),
    }[body.kind];
    const last = {
      number: fc.bigInt(0n, (1n << BigInt(serial.bits)) - 1n).map(String),
      digits: fc.integer({ min: 1, max: 12 }).chain(digits),
      text: serialText(Math.floor(serial.bits / 7)),
      unused: fc.constant(null),
    }[serial.kind];
    const pieces = scheme === 'itip' ? fc.tuple(digits(2), digits(2)) : fc.constant([] as string[]);
    return fc.tuple(digits(12 - partition), reference, pieces, last).map(([prefix, ref, two, serialNo]) => {
      const fields = [prefix, ref, ...two, ...(serialNo === null ? [] : [serialNo])];
      return `urn:epc:tag:${name.toLowerCase()}:${filter}.${fields.map(uriEscape).join('.')}`;
    });
  });

describe('whatever the digits are', () => {
  test('an EPC encoded from any tag URI is read as that tag URI', () => {
    fc.assert(
      fc.property(tagUri, (uri) => {
        const reading = readEpc(encode(uri));
        expect(reading.tagUri).toBe(uri);
        expect(reading.problem).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  test('what is read can be encoded back to the same bits; else there is a problem in words', () => {
    let readable = 0;
    fc.assert(
      fc.property(fc.oneof(anyHex, likely), (hex) => {
        const { tagUri: uri, problem, scheme } = readEpc(hex);
        expect(problem === null).toBe(scheme !== null);
        if (uri === null || scheme === 'gid' || scheme === 'usdod') return;
        readable++;
        expect(encode(uri).padEnd(64, '0')).toBe(hex.padEnd(64, '0'));
      }),
      { numRuns: 3000 },
    );
    expect(readable).toBeGreaterThan(50);
  });

  test('reading takes far less than a millisecond', () => {
    const all = fc.sample(fc.oneof(anyHex, likely), 2000);
    const from = performance.now();
    for (const hex of all) readEpc(hex);
    expect((performance.now() - from) / all.length).toBeLessThan(1);
  });
});
