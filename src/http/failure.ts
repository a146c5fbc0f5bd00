import type { Context } from 'koa';
import { Refused } from '../domain/refusal.ts';
import { ClientGone } from './body.ts';
import type { MinimalLogger } from './options.ts';
import { type Problem, ProtocolFault, problemHeaders, problemOf, protocolProblem } from './problem.ts';

/** Of a body nobody wants, so much is read to keep the connection in use; then it is cut. */
const UNWANTED_BODY_MAX_BYTES = 4 * 1024 * 1024;

/** Turns whatever was thrown into problem details: a refusal as it is, anything else into a logged 500 that tells nothing. */
export function answerFailure(ctx: Context, cause: unknown, log: MinimalLogger): void {
  if (cause instanceof ClientGone || ctx.headerSent) {
    abandon(ctx, cause, log);
    return;
  }
  const problem = problemFor(ctx, cause, log);
  ctx.status = problem.status;
  ctx.body = JSON.stringify(problem);
  ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
  ctx.set('Cache-Control', 'no-store');
  if (cause instanceof Refused) ctx.set(problemHeaders(cause.refusal));
  boundUnwantedBody(ctx);
}

function problemFor(ctx: Context, cause: unknown, log: MinimalLogger): Problem {
  if (cause instanceof Refused) return problemOf(cause.refusal);
  if (cause instanceof ProtocolFault) return protocolProblem(cause.kind, cause.message);
  logFailure(ctx, cause, log);
  return protocolProblem('internal', `Something failed here. The log has it under ${ctx.state.requestId}.`);
}

function logFailure(ctx: Context, err: unknown, log: MinimalLogger): void {
  log.error(
    { err, requestId: ctx.state.requestId, method: ctx.method, url: ctx.req.url },
    'a request failed',
  );
}

// The answer has begun, or there is nobody left to read one.
function abandon(ctx: Context, cause: unknown, log: MinimalLogger): void {
  ctx.respond = false;
  if (!ctx.headerSent) ctx.status = 400;
  if (!(cause instanceof ClientGone)) logFailure(ctx, cause, log);
  ctx.res.destroy();
}

// Node reads and drops a body that was not asked for, however long it is.
function boundUnwantedBody(ctx: Context): void {
  const { req } = ctx;
  if (req.complete) return;
  let bytes = 0;
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > UNWANTED_BODY_MAX_BYTES) req.socket.destroy();
  });
}
