import type { SchemaFault } from './local-schema.ts';

/** A call of a reader's local REST interface. */
export interface LocalRequest {
  /** Upper case. */
  readonly method: string;
  /** Below the host, without the query: `/api/v1/status`. */
  readonly path: string;
  /** Parsed JSON; undefined when there was no body. */
  readonly body?: unknown;
  /** A body that is a file: raw, or the file part of a form. */
  readonly upload?: LocalUpload;
}

export interface LocalUpload {
  readonly content: Uint8Array;
  /** The text parts of a form, by name. */
  readonly fields: ReadonlyMap<string, string>;
}

/** An answer; without a body for 204 and the like. */
export interface LocalAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** One call: `run` gets the decoded captures of the pattern, which is matched against the path below `/api/v1`. */
export interface LocalRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly pattern: RegExp;
  readonly run: (request: LocalRequest, params: readonly string[]) => LocalAnswer;
}

/** What a reader says when it refuses: `{message, invalidPropertyId?, detail?}`. */
export interface LocalProblem {
  readonly message: string;
  readonly invalidPropertyId?: string;
  readonly detail?: string;
}

/** Done, nothing to say. */
export const done: LocalAnswer = { status: 204 };

/** 200 with a body. */
export function found(body: unknown): LocalAnswer {
  return { status: 200, body };
}

/** A refusal in the reader's form. */
export function refused(status: number, problem: LocalProblem): LocalAnswer {
  return { status, body: problem };
}

/** 400 that names the property at fault, and no property when it is the body as a whole. */
export function badRequest({ path, reason }: SchemaFault): LocalAnswer {
  const what = path === '' ? 'the body' : path;
  const property = path === '' ? {} : { invalidPropertyId: path };
  return refused(400, { message: 'Invalid request', ...property, detail: `${what} ${reason}` });
}

/** What the reader says to a path or verb it does not have. */
export const unknownPath: LocalAnswer = refused(404, { message: 'Not Found' });
