import { Readable } from 'node:stream';
import type { Context } from 'koa';

const SLICE_BYTES = 16 * 1024;
/** A body up to this is handed over at once. */
const WHOLE_MAX_BYTES = 64 * 1024;

/**
 * Makes a big answer go out as its client takes it. Handed over at once, all of it would be encrypted at once: a few
 * hundred clients that ask for a page and do not read it would take hundreds of megabytes, with or without a key.
 */
export function paceBody(ctx: Context): void {
  if (ctx.method === 'HEAD' || ctx.respond === false) return;
  const bytes = bigBody(ctx.body);
  if (!bytes) return;
  ctx.body = inSlices(bytes);
  // Setting a stream has taken it away.
  ctx.length = bytes.length;
}

function bigBody(body: unknown): Buffer | null {
  if (Buffer.isBuffer(body)) return body.length > WHOLE_MAX_BYTES ? body : null;
  return typeof body === 'string' && body.length > WHOLE_MAX_BYTES ? Buffer.from(body) : null;
}

function inSlices(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: SLICE_BYTES,
    read() {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      at += slice.length;
      this.push(slice.length > 0 ? slice : null);
    },
  });
}
