import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** A JSON Schema as it stands in the document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Turns Zod schemas into JSON Schema and collects those with an id (`.meta({ id })`) as components. */
export interface SchemaCollector {
  /** `input`: what a client sends; `output`: what it gets. */
  convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  components(): Readonly<Record<string, JsonSchema>>;
}

/** A collector for one document. */
export function collectSchemas(): SchemaCollector {
  const components = new Map<string, JsonSchema>();
  return {
    convert(schema, io) {
      const {
        $schema: _,
        $defs = {},
        ...root
      } = plain(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
      const definitions = Object.entries($defs as Record<string, JsonSchema>);
      // A schema with defaults differs between what is sent and what is got: two components then.
      const clash = definitions.some(
        ([id, one]) => components.has(id) && !isDeepStrictEqual(components.get(id), relinked(one, '')),
      );
      const suffix = clash ? (io === 'input' ? 'Input' : 'Output') : '';
      for (const [id, one] of definitions) components.set(`${id}${suffix}`, relinked(one, suffix));
      return relinked(root, suffix);
    },
    components: () => Object.fromEntries(components),
  };
}

// Answers may gain members within a version, so the document must not forbid them.
function plain(schema: object): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  );
}

function relinked(schema: JsonSchema, suffix: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$ref' ? relink(value, suffix) : value)));
}

function relink(target: unknown, suffix: string): string {
  return `${String(target).replace('#/$defs/', '#/components/schemas/')}${suffix}`;
}
