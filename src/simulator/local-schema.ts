/** The part of JSON schema that readers describe their settings with; plain JSON, so that it can be handed out as it is. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Absent: any other member is taken as it is. */
  readonly additionalProperties?: false;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string | number | boolean;
}

/** What is wrong with a value: where (`antennaConfigs[0].rfMode`, empty for the whole), and why. */
export interface SchemaFault {
  readonly path: string;
  readonly reason: string;
}

/** The first fault of a parsed JSON value, in the order of the schema; null when there is none. Pure. */
export function schemaFault(schema: Schema, value: unknown, path = ''): SchemaFault | null {
  const reason = typeFault(schema, value) ?? ownFault(schema, value);
  if (reason !== null) return { path, reason };
  if (isObject(value)) return objectFault(schema, value, path);
  return Array.isArray(value) ? listFault(schema, value, path) : null;
}

/** True for a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isOfType: Readonly<Record<Schema['type'], (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
};

function typeFault({ type }: Schema, value: unknown): string | null {
  return isOfType[type](value) ? null : `must be of type ${type}`;
}

function ownFault(schema: Schema, value: unknown): string | null {
  if (typeof value === 'number') return numberFault(schema, value);
  if (typeof value === 'string') return textFault(schema, value);
  return null;
}

function numberFault(schema: Schema, value: number): string | null {
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`;
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  if (multipleOf !== undefined && value % multipleOf !== 0) return `must be a multiple of ${multipleOf}`;
  return null;
}

function textFault(schema: Schema, value: string): string | null {
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`;
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined && value.length < minLength)
    return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return `must match ${pattern}`;
  return null;
}

function objectFault(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): SchemaFault | null {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return { path: memberPath(path, missing), reason: 'is required' };
  for (const [name, member] of Object.entries(value)) {
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (memberSchema === undefined && additionalProperties === false) {
      return { path: memberPath(path, name), reason: 'is not a known property' };
    }
    const fault = memberSchema && schemaFault(memberSchema, member, memberPath(path, name));
    if (fault) return fault;
  }
  return null;
}

function listFault(schema: Schema, value: readonly unknown[], path: string): SchemaFault | null {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) return { path, reason: `must have at least ${minItems} items` };
  if (value.length > maxItems) return { path, reason: `must have at most ${maxItems} items` };
  if (items === undefined) return null;
  for (const [at, item] of value.entries()) {
    const fault = schemaFault(items, item, `${path}[${at}]`);
    if (fault) return fault;
  }
  return null;
}

/** A caller's own name may be of any length; a message is not. */
function memberPath(path: string, name: string): string {
  const shown = name.slice(0, 64);
  return path === '' ? shown : `${path}.${shown}`;
}
