import { z } from 'zod';

/** A JSON Schema as the document has it. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface DocumentedAnswer {
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** One operation of the document, its references to answers followed. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

interface Source {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** An OpenAPI document as it is served, read the way a client's tools would. */
export class ApiDocument {
  readonly source: Source;
  readonly operations: readonly Operation[];
  readonly #checkers = new Map<Schema, z.ZodType>();

  constructor(source: unknown) {
    // What is not as it should be shows when it is looked for.
    this.source = source as Source;
    this.operations = Object.entries(this.source.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => this.#operation(method, path, operation)),
    );
  }

  find(method: string, path: string): Operation | undefined {
    const wanted = shape(path);
    return this.operations.find((one) => one.method === method && shape(one.path) === wanted);
  }

  /** The operation, or an error naming what is missing. */
  need(method: string, path: string): Operation {
    const found = this.find(method, path);
    if (!found) throw new Error(`${method} ${path} is not in the document`);
    return found;
  }

  /** Follows a reference into the document; anything else comes back as it is. */
  resolve<T>(node: T): T {
    const target = (node as { $ref?: unknown } | null)?.$ref;
    if (typeof target !== 'string') return node;
    const steps = target.slice(2).split('/');
    // biome-ignore lint/suspicious/noExplicitAny: any depth of the document
    const found = steps.reduce((at: any, name) => at?.[name], this.source);
    if (found === undefined) throw new Error(`${target} points to nothing`);
    return this.resolve(found);
  }

  /** Where a value breaks a schema of the document; null when it does not. */
  breach(schema: Schema, value: unknown): string | null {
    let checker = this.#checkers.get(schema);
    if (!checker) {
      checker = z.fromJSONSchema(standalone(schema, this.source.components.schemas));
      this.#checkers.set(schema, checker);
    }
    const { error } = checker.safeParse(value);
    const issue = error?.issues[0];
    return issue ? `${['body', ...issue.path].map(String).join('.')}: ${issue.message}` : null;
  }

  #operation(method: string, path: string, operation: Operation): Operation {
    const responses = Object.entries(operation.responses).map(([status, one]) => [status, this.resolve(one)]);
    return {
      ...{ ...operation, parameters: operation.parameters ?? [], path },
      method: method.toUpperCase(),
      responses: Object.fromEntries(responses),
    };
  }
}

// The names of path parameters are nobody's business but the document's.
function shape(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function standalone(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const text = JSON.stringify({ ...schema, $defs: components });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
}
