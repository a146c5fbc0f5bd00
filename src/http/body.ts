import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { limits } from '../domain/limits.ts';
import { invalid, refuse } from '../domain/refusal.ts';
import { parseJson } from './json-text.ts';
import type { Route } from './route.ts';
import { check } from './validation.ts';

/** The client went away while its body was read: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The body of a call as its route's schema has it; undefined for routes without one. Called once authentication and
 * access have passed: nothing is read for strangers. Throws 400, 413, 415.
 */
export async function bodyOf(ctx: Context, route: Route): Promise<unknown> {
  if (route.consumes) return checkUpload(ctx, route, route.consumes);
  if (!route.body) return undefined;
  const limit = route.bodyMaxBytes ?? limits.jsonBodyMaxBytes;
  const bytes = hasBody(ctx) ? await readBody(ctx, limit) : Buffer.alloc(0);
  if (bytes.length === 0) return withoutBody(route.body);
  return check(route.body, parseJson(bytes), 'body');
}

// A body left out stands for one without members, so that all-optional bodies may be left out.
function withoutBody(schema: NonNullable<Route['body']>): unknown {
  for (const empty of [undefined, {}]) {
    const result = schema.safeParse(empty);
    if (result.success) return result.data;
  }
  throw invalid('A JSON body is needed.');
}

function hasBody(ctx: Context): boolean {
  return (
    ctx.req.headers['transfer-encoding'] !== undefined || Number(ctx.req.headers['content-length'] ?? 0) > 0
  );
}

function checkUpload(ctx: Context, route: Route, consumes: NonNullable<Route['consumes']>): undefined {
  const types = [consumes].flat();
  if (!ctx.is(types)) throw refuse('unsupported-media-type', `The body must be ${types.join(' or ')}.`);
  checkLength(ctx, route.bodyMaxBytes ?? limits.jsonBodyMaxBytes);
  continueIfAsked(ctx);
}

async function readBody(ctx: Context, limit: number): Promise<Buffer> {
  if (!ctx.is('application/json', '+json'))
    throw refuse('unsupported-media-type', 'The body must be JSON, with Content-Type: application/json.');
  const encoding = ctx.req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw refuse('unsupported-media-type', 'The body must not be compressed.');
  checkLength(ctx, limit);
  continueIfAsked(ctx);
  try {
    await readerFor(limit)(ctx, async () => {});
  } catch (error) {
    throw readingRefusal(error, limit);
  }
  return Buffer.from(String(ctx.request.body), 'latin1');
}

// koa-body's JSON parser refuses the name `__proto__`, which is an ordinary field key here, and replaces bad UTF-8 in
// silence; so it reads the bytes only (latin1 keeps each byte as one character) and parsing is ours.
function readerFor(limit: number): ReturnType<typeof koaBody> {
  const textTypes = ['application/json', '+json'];
  return koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textTypes,
    textLimit: limit,
    encoding: 'latin1',
  });
}

function checkLength(ctx: Context, limit: number): void {
  if (Number(ctx.req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): Error {
  const megabytes = limit / 2 ** 20;
  const shown = megabytes >= 2 ? `${Math.floor(megabytes)} MB` : `${limit} bytes`;
  return refuse('too-large', `The body may have ${shown}.`);
}

function readingRefusal(error: unknown, limit: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : null;
  if (type === 'entity.too.large') return tooLarge(limit);
  return type === 'request.aborted' ? new ClientGone() : error;
}

// With `Expect: 100-continue` the client holds its body back until it is wanted, and saves it when it is not.
function continueIfAsked(ctx: Context): void {
  if (ctx.req.headers.expect?.toLowerCase() === '100-continue') ctx.res.writeContinue();
}
