import type { Field, FieldType } from '../contract/resources.ts';
import type { ApiDocument, Schema } from './contract-document.ts';

type Fields = Readonly<Record<string, Field>>;
type Word = 'null' | 'uuid' | 'timestamp' | 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** What may stand where the contract says so. */
const allowed: Readonly<Record<FieldType, readonly Word[]>> = {
  uuid: ['uuid'],
  string: ['string', 'uuid'],
  timestamp: ['timestamp'],
  integer: ['integer'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  object: ['object'],
  'typed value': ['string', 'number', 'boolean'],
  'not shown': ['string', 'number', 'boolean', 'object', 'array'],
  'array of string': ['array'],
  'array of object': ['array'],
};

/** Every way in which an object schema differs from a field table, each named by the field. */
export function schemaFaults(
  doc: ApiDocument,
  schema: Schema,
  { fields, at = '' }: { readonly fields: Fields; readonly at?: string },
): readonly string[] {
  const { properties = {}, required = [] } = merged(doc, schema);
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${at}${name}`;
    const property = properties[name];
    if (!property) return [`${path} is missing`];
    return [
      ...presenceFaults(path, field, required.includes(name)),
      ...typeFaults(doc, property, { path, field }),
      ...innerFaults(doc, property, { path, field }),
    ];
  });
}

function presenceFaults(path: string, field: Field, isRequired: boolean): readonly string[] {
  if (field.unsaid) return [];
  if (field.optional) return isRequired ? [`${path} must be allowed to be absent`] : [];
  return isRequired ? [] : [`${path} must always be there`];
}

interface Place {
  readonly path: string;
  readonly field: Field;
}

function typeFaults(doc: ApiDocument, schema: Schema, { path, field }: Place): readonly string[] {
  const words = new Set(alternatives(doc, schema).flatMap(wordsOf));
  const faults: string[] = [];
  if (field.nullable && !words.has('null')) faults.push(`${path} must be allowed to be null`);
  if (!field.nullable && !field.unsaid && words.has('null')) faults.push(`${path} must not be null`);
  words.delete('null');
  const wrong = [...words].filter((word) => !allowed[field.type].includes(word));
  if ((words.size === 0 && field.type !== 'not shown') || wrong.length > 0)
    faults.push(`${path} must be ${field.type}, not ${[...words].join(' or ') || 'of any type'}`);
  if (!field.values) return faults;
  const values = alternatives(doc, schema).flatMap(valuesOf).sort();
  if (JSON.stringify(values) !== JSON.stringify([...field.values].sort()))
    faults.push(`${path} must be one of ${field.values.join(', ')}, not ${values.join(', ') || 'any'}`);
  return faults;
}

function innerFaults(doc: ApiDocument, schema: Schema, { path, field }: Place): readonly string[] {
  const main = alternatives(doc, schema).find((one) => !wordsOf(one).includes('null')) ?? {};
  const items = doc.resolve((main.items ?? {}) as Schema); // JSON Schema has a schema there
  if (field.type === 'array of string') return typeFaults(doc, items, { path: `${path}[]`, field: text });
  if (!field.members) return [];
  const isList = field.type === 'array of object';
  const inner = { fields: field.members, at: isList ? `${path}[].` : `${path}.` };
  return schemaFaults(doc, isList ? items : main, inner);
}

const text: Field = { type: 'string' };

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** An object schema with what its `allOf` adds. */
export function merged(doc: ApiDocument, schema: Schema): ObjectSchema {
  const own = doc.resolve(schema);
  const parts = [own, ...((own.allOf ?? []) as readonly Schema[]).map((part) => doc.resolve(part))];
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => (required ?? []) as readonly string[]),
  };
}

function alternatives(doc: ApiDocument, schema: Schema): readonly Schema[] {
  const own = doc.resolve(schema);
  const choices = (own.anyOf ?? own.oneOf) as readonly Schema[] | undefined;
  return choices ? choices.flatMap((one) => alternatives(doc, one)) : [own];
}

function wordsOf(schema: Schema): readonly Word[] {
  const types = [schema.type].flat().filter(isWord);
  if (types.length === 0 && 'const' in schema) return [schema.const === null ? 'null' : 'string'];
  return types.map((type) => {
    if (type !== 'string') return type;
    if (schema.format === 'uuid') return 'uuid';
    return schema.format === 'date-time' ? 'timestamp' : 'string';
  });
}

function isWord(type: unknown): type is Word {
  return typeof type === 'string';
}

function valuesOf(schema: Schema): readonly string[] {
  const values = 'const' in schema ? [schema.const] : ((schema.enum ?? []) as readonly unknown[]);
  return values.filter((value) => typeof value === 'string');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const isOf: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  uuid: (value) => typeof value === 'string' && UUID.test(value),
  string: (value) => typeof value === 'string',
  timestamp: (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  'not shown': () => true,
  'typed value': (value) => ['string', 'number', 'boolean'].includes(typeof value),
  'array of string': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'array of object': (value) => Array.isArray(value) && value.every(isObject),
};

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every way in which an answer's object differs from a field table. */
export function valueFaults(value: unknown, fields: Fields, at = ''): readonly string[] {
  if (!isObject(value)) return [`${at || 'the answer'} is no object`];
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${at}${name}`;
    if (!members.has(name)) return field.optional || field.unsaid ? [] : [`${path} is absent`];
    const member = members.get(name);
    if (member === null) return field.nullable || field.unsaid ? [] : [`${path} is null`];
    if (!isOf[field.type](member)) return [`${path} is ${JSON.stringify(member)}, no ${field.type}`];
    if (field.values && !field.values.includes(String(member))) return [`${path} is ${member}`];
    const { members: inner } = field;
    if (!inner) return [];
    const list = Array.isArray(member) ? member : [member];
    return list.flatMap((one) => valueFaults(one, inner, `${path}.`));
  });
}
