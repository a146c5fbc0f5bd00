import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { bestEncoding } from './accept-encoding.ts';
import { type HubFile, type HubFiles, noncePlace } from './hub-files.ts';

/** Where the hub is in the browser: these and everything below them show its one page. */
const views: ReadonlySet<string> = new Set(
  'login setup now find tags readers radio assets floor alerts admin'.split(' '),
);

/** Where its files are. */
const FILES = '/hub/';
const NONCE_BYTES = 16;

/** Writes the answer to a GET or HEAD. */
export type ServeHub = (ctx: Context) => void;

/**
 * The hub in the browser: its page at `/` and at the addresses of its views, its files below `/hub/`. Null: another path, or
 * a file it does not have. Without a built hub the page says how to build one (404).
 */
export function hubPages(hub: HubFiles | null): (path: string) => ServeHub | null {
  if (!hub) return (path) => (isView(path) ? sendNotBuilt : null);
  const parts = hub.index.split(noncePlace);
  const sendPage: ServeHub = (ctx) => sendIndex(ctx, parts);
  return (path) => {
    if (isView(path)) return sendPage;
    const file = path.startsWith(FILES) ? hub.files.get(path.slice(FILES.length)) : undefined;
    return file ? (ctx) => sendFile(ctx, file) : null;
  };
}

function isView(path: string): boolean {
  const [, first = ''] = path.split('/', 2);
  return path === '/' || views.has(first);
}

function sendIndex(ctx: Context, parts: readonly string[]): void {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  sendHtml(ctx, 200, parts.join(nonce));
  ctx.set('Content-Security-Policy', policy(nonce));
}

/**
 * Only the hub's own files run, what stands in the page needs the nonce of this very answer. Pictures may be made in the page
 * (charts that are saved, floor plans before they are sent). Trusted types are not asked for: Mantine writes the text of its
 * styles through innerHTML, and the hub stays empty.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendFile(ctx: Context, file: HubFile): void {
  const encoding = bestEncoding(ctx.get('Accept-Encoding'), new Set(file.bodies.keys()));
  ctx.status = 200;
  ctx.body = file.bodies.get(encoding);
  ctx.set('Content-Type', file.contentType);
  ctx.set('Cache-Control', file.cacheControl);
  ctx.set('Vary', 'Accept-Encoding');
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Tagkeep</title>
<h1>The hub is not in this build</h1>
<p>In a checkout, <code>npm ci</code> and <code>npm run build</code> make it; then start Tagkeep again.</p>
<p>The REST interface works without it: <a href="/docs">documentation</a>.</p>
</html>
`;

function sendNotBuilt(ctx: Context): void {
  sendHtml(ctx, 404, notBuilt);
}

function sendHtml(ctx: Context, status: number, html: string): void {
  ctx.status = status;
  ctx.body = html;
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  // Every answer has a nonce of its own, and the next build other files.
  ctx.set('Cache-Control', 'no-cache');
}
