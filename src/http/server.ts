import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { apiMiddleware, unknownAddress } from './api.ts';
import { answerFailure } from './failure.ts';
import { openApiOf } from './openapi.ts';
import type { HttpOptions } from './options.ts';
import { paceBody } from './paced-body.ts';
import { servePages } from './pages.ts';
import { ProtocolFault } from './problem.ts';
import { securityHeaders, transportHeaders } from './security-headers.ts';

export type { HttpOptions } from './options.ts';

/** Longer addresses get 414. */
const ADDRESS_MAX_LENGTH = 8000;

/** The kernel: a listener for plain and TLS servers, the OpenAPI document, and `close` for the time of stopping. */
export interface Http {
  readonly handler: RequestListener;
  readonly openapi: object;
  /** From now on every answer asks its client to close the connection. */
  close(): void;
}

/** Builds the kernel from the routes. Throws when two routes share a method and path, or an operationId. */
export function createHttp(options: HttpOptions): Http {
  refuseDuplicates(options);
  const app = new Koa();
  let isClosing = false;
  app.use(async (ctx, next) => {
    if (isClosing) ctx.set('Connection', 'close');
    await guard(ctx, next, options);
  });
  app.use(apiMiddleware(options));
  app.use(servePages(options));
  app.on('error', (error: Error, ctx?: Context) => logLateFailure(error, ctx, options));
  const listener = app.callback();
  return {
    handler: (req, res) => void listener(req, res),
    get openapi() {
      return openApiOf(options);
    },
    close: () => {
      isClosing = true;
    },
  };
}

async function guard(ctx: Context, next: Next, options: HttpOptions): Promise<void> {
  const startedAt = performance.now();
  prepare(ctx, options);
  try {
    checkTarget(ctx.req.url ?? '');
    await next();
    if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) throw unknownAddress(ctx.path);
    paceBody(ctx);
  } catch (error) {
    answerFailure(ctx, error, options.log);
  } finally {
    observe(ctx, options, performance.now() - startedAt);
  }
}

// A path, or the whole address as proxies send it; Koa's own parser throws on the rest.
function checkTarget(target: string): void {
  if (target.length > ADDRESS_MAX_LENGTH)
    throw new ProtocolFault('address-too-long', `The address may have ${ADDRESS_MAX_LENGTH} characters.`);
  if (!target.startsWith('/') && !URL.canParse(target))
    throw new ProtocolFault('malformed-request', 'The request names no path.');
}

function prepare(ctx: Context, { strictTransport = true }: HttpOptions): void {
  ctx.state.requestId = randomUUID();
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    ...securityHeaders,
    ...transportHeaders(ctx.secure && strictTransport, ctx.hostname),
  });
}

function observe(ctx: Context, options: HttpOptions, durationMs: number): void {
  const operationId: string | null = ctx.state.operationId ?? null;
  options.observe?.({ method: ctx.method, operationId, status: ctx.status, durationMs });
}

// What fails once the answer is on its way: a stream that breaks, a client that leaves (nothing to tell of the latter).
function logLateFailure(error: Error, ctx: Context | undefined, { log }: HttpOptions): void {
  const code = 'code' in error ? error.code : null;
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE') return;
  log.error({ err: error, requestId: ctx?.state.requestId }, 'an answer broke off');
}

function refuseDuplicates({ routes }: HttpOptions): void {
  const seen = new Set<string>();
  for (const { method, path, operationId } of routes)
    for (const name of [`${method} ${path.replace(/\{\w+\}/g, '{}')}`, operationId]) {
      if (seen.has(name)) throw new Error(`two routes are called ${name}`);
      seen.add(name);
    }
}
