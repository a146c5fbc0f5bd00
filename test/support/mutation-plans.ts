import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { codePoint } from './code-point.ts';

/** A value as its JSON text, which may be what no value of this language is. */
export interface Hostile {
  readonly json: string;
  /** False: a reader of JSON may refuse the text itself. */
  readonly parses: boolean;
}

/** What is done to a request that is valid. `at` picks among what it has, whatever that is. */
export type Plan =
  | { readonly kind: 'none' }
  | { readonly kind: 'replace'; readonly at: number; readonly value: Hostile }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly name: string; readonly value: Hostile }
  | { readonly kind: 'bytes'; readonly body: Buffer }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'no body' }
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'path'; readonly at: number; readonly text: string }
  | { readonly kind: 'foreign id' | 'id of another kind'; readonly at: number }
  | { readonly kind: 'query'; readonly at: number; readonly text: string }
  | { readonly kind: 'raw query'; readonly text: string }
  | { readonly kind: 'csv'; readonly text: string }
  | { readonly kind: 'form'; readonly parts: string };

const naughty = JSON.parse(readFileSync('test/corpus/blns.json', 'utf8')) as readonly string[]; // a list of texts
const corpus = 'test/corpus/json-parsing';
const jsonFiles = readdirSync(corpus).map((name) => readFileSync(join(corpus, name)));

const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
const lengths = [254, 255, 256, 999, 1001, 10_000, 10_001, 100_000];

const text = fc.oneof(
  fc.constantFrom(...naughty),
  fc.constantFrom(...prototypeNames, '', ' ', '\0', 'a\0b', '../..', '%00', 'null', 'true', '-1', '1e999'),
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.constantFrom(...lengths).map((length) => 'x'.repeat(length)),
  fc.uuid(),
);

const whole = (value: unknown): Hostile => ({ json: JSON.stringify(value), parses: true });
const odd = (json: string): Hostile => ({ json, parses: false });
const nested = (depth: number): Hostile => odd('['.repeat(depth) + ']'.repeat(depth));

const hostile: fc.Arbitrary<Hostile> = fc.oneof(
  { weight: 4, arbitrary: text.map(whole) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom<unknown>(
        ...[null, true, false, 0, -1, 1, 5, 1.5, 2 ** 53, -(2 ** 63), 1e308, 5e-324],
        ...[[], {}, [[]], [null], [1, 'a'], { $ref: '#' }, { length: 1e9 }],
      )
      .map(whole),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[odd('1e999'), odd('-0'), odd('12345678901234567890'), odd('"\\ud800"'), odd('"\\udc00\\ud800"')],
      ...[nested(20), nested(2000), odd('{"__proto__":{"role":"admin"}}'), odd('{"a":1,"a":2}')],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(whole) },
);

const at = fc.nat(1000);

const common: readonly fc.Arbitrary<Plan>[] = [
  fc.record({
    kind: fc.constant('headers' as const),
    headers: fc.constantFrom<Readonly<Record<string, string>>>(
      ...[
        { authorization: 'Bearer' },
        { authorization: 'Basic YTpi' },
        { authorization: `Bearer tk_${'A'.repeat(43)}` },
      ],
      ...[{ accept: 'image/png' }, { 'accept-encoding': 'x' }, { cookie: 'tagkeep_session=%00; a; =b' }],
    ),
  }),
  fc.record({
    kind: fc.constant('raw query' as const),
    text: fc.constantFrom(
      '%',
      '%zz=%zz',
      '&&&=',
      'a[b]=c',
      '__proto__=1&constructor=2',
      'limit=1&limit=2',
      '?',
      'x'.repeat(3000),
    ),
  }),
  fc.constant<Plan>({ kind: 'none' }),
];

const inPath: readonly fc.Arbitrary<Plan>[] = [
  fc.record({
    kind: fc.constant('path' as const),
    at,
    text: text.filter((one) => one !== '').map(encoded),
  }),
  fc.record({
    kind: fc.constant('path' as const),
    at,
    text: fc.constantFrom('%zz', '%', '%C0%AF', '%2e%2e%2f', ';', '*'),
  }),
  fc.record({ kind: fc.constantFrom('foreign id' as const, 'id of another kind' as const), at }),
  fc.constant<Plan>({ kind: 'path', at: 0, text: randomUUID() }),
];

const inQuery: readonly fc.Arbitrary<Plan>[] = [
  fc.record({ kind: fc.constant('query' as const), at, text: text.map(encoded) }),
];

const types = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/json; charset=utf-16',
  '',
  'x',
];

const unread: readonly fc.Arbitrary<Plan>[] = [
  fc.constant<Plan>({ kind: 'no body' }),
  fc.record({ kind: fc.constant('bytes' as const), body: fc.constantFrom(...jsonFiles) }),
  fc.record({ kind: fc.constant('cut' as const), at }),
  fc.record({
    kind: fc.constant('headers' as const),
    headers: fc.oneof(
      fc.constantFrom(...types).map((type) => ({ 'content-type': type })),
      fc.constantFrom({ 'content-encoding': 'gzip' }, { 'content-encoding': 'identity' }),
    ),
  }),
];

const inBody: readonly fc.Arbitrary<Plan>[] = [
  fc.record({ kind: fc.constant('replace' as const), at, value: hostile }),
  fc.record({ kind: fc.constant('remove' as const), at }),
  fc.record({ kind: fc.constant('add' as const), at, name: text, value: hostile }),
];

const cell = fc.oneof(
  text,
  fc.constantFrom('epc', 'EPC', 'E2801160600002000000AB01', '"', '""', '"a', 'a"b'),
);
const separator = fc.constantFrom(',', ';', '\t', '|');
const csv = fc
  .record({
    header: fc.array(cell, { maxLength: 6 }),
    rows: fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 5 }),
    separator,
    end: fc.constantFrom('\n', '\r\n', '\r', ''),
  })
  .chain(({ header, rows, separator, end }) =>
    fc
      .boolean()
      .map((hasEpc) =>
        [hasEpc ? ['epc', ...header] : header, ...rows].map((row) => row.join(separator)).join(end),
      ),
  );

const inForm: readonly fc.Arbitrary<Plan>[] = [
  fc.record({ kind: fc.constant('csv' as const), text: csv }),
  fc.record({
    kind: fc.constant('csv' as const),
    text: fc.constantFrom(
      '',
      '\ufeff',
      'epc',
      'epc\n',
      'epc,epc\nAB,AB\n',
      'epc,__proto__\nE2801160600002000000AB01,x\n',
      `epc${',c'.repeat(1000)}\n`,
      '\0\0\0\0',
      `epc,${'x'.repeat(300)}\nE2801160600002000000AB01,y\n`,
    ),
  }),
  fc.record({
    kind: fc.constant('form' as const),
    parts: fc.constantFrom(
      '',
      '--B--\r\n',
      '--B\r\n\r\nno headers\r\n--B--\r\n',
      '--B\r\nContent-Disposition: form-data; name="other"; filename="a.csv"\r\n\r\nepc\r\n--B--\r\n',
      '--B\r\nContent-Disposition: form-data; name="file"\r\n\r\nepc\r\n--B--\r\n',
      '--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nepc\r\n',
      '--B\r\nContent-Disposition: form-data; name="__proto__"; filename="a.csv"\r\n\r\nepc\r\n--B--\r\n',
      `${'--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nepc\r\n'.repeat(3)}--B--\r\n`,
      `--B\r\nContent-Disposition: form-data; name="${'n'.repeat(5000)}"\r\n\r\nx\r\n--B--\r\n`,
    ),
  }),
];

/** What an operation has that can be spoiled. */
export interface Surface {
  readonly hasPath: boolean;
  readonly hasQuery: boolean;
  readonly body: 'json' | 'form' | null;
}

/** Plans for an operation, the more of a sort the more there is to spoil. */
export function plansFor({ hasPath, hasQuery, body }: Surface): fc.Arbitrary<Plan> {
  const sorts: { weight: number; arbitrary: fc.Arbitrary<Plan> }[] = [
    { weight: 1, arbitrary: fc.oneof(...common) },
  ];
  if (hasPath) sorts.push({ weight: 3, arbitrary: fc.oneof(...inPath) });
  if (hasQuery) sorts.push({ weight: 3, arbitrary: fc.oneof(...inQuery) });
  if (body !== null) sorts.push({ weight: 2, arbitrary: fc.oneof(...unread) });
  if (body === 'json') sorts.push({ weight: 6, arbitrary: fc.oneof(...inBody) });
  if (body === 'form') sorts.push({ weight: 6, arbitrary: fc.oneof(...inForm) });
  return fc.oneof(...sorts);
}

/** A longer address is HTTP's own refusal, not the operation's. */
const TEXT_MAX = 2000;

// A lone surrogate has no UTF-8 form: a Buffer makes it U+FFFD, as a client would.
function encoded(value: string): string {
  const sendable = Buffer.from(value.slice(0, TEXT_MAX)).toString();
  return encodeURIComponent(sendable)
    .slice(0, 3 * TEXT_MAX)
    .replace(/%.?$/, '');
}
