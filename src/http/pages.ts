import type { Context, Middleware } from 'koa';
import { Refused } from '../domain/refusal.ts';
import { apiBase } from './api.ts';
import { docsPage } from './docs-page.ts';
import { openApiInSlices } from './openapi.ts';
import type { HttpOptions } from './options.ts';
import type { Page } from './page.ts';
import { problemPage } from './problem-page.ts';

type Serve = (ctx: Context) => Promise<void> | void;

/** Everything outside the API: probes, metrics, OpenAPI, docs, problem pages and the hub. GET and HEAD only. */
export function servePages(options: HttpOptions): Middleware {
  const fixed = fixedPages(options);
  return async (ctx) => {
    // The API's 404 and OPTIONS are decided already.
    if (ctx.status === 204 || ctx.path === apiBase || ctx.path.startsWith(`${apiBase}/`)) return;
    const serve = fixed.get(ctx.path) ?? found(ctx.path, options);
    if (!serve) return;
    if (allowsMethod(ctx)) await serve(ctx);
  };
}

function fixedPages(options: HttpOptions): Map<string, Serve> {
  const { probes, metrics } = options;
  let openapi: Promise<Buffer> | null = null;
  // Made when it is first asked for: a start is quicker without. Kept as bytes: many slow readers share them.
  const document = (): Promise<Buffer> => {
    openapi ??= openApiInSlices(options).then((made) => Buffer.from(JSON.stringify(made)));
    return openapi;
  };
  const pages = new Map<string, Serve>([
    ['/healthz', (ctx) => sendJson(ctx, 200, { status: 'ok' })],
    ['/readyz', (ctx) => sendReadiness(ctx, probes.ready())],
    [
      '/openapi.json',
      async (ctx) =>
        sendPage(ctx, { body: await document(), contentType: 'application/json; charset=utf-8' }),
    ],
  ]);
  if (metrics) pages.set('/metrics', async (ctx) => sendPage(ctx, await metrics()));
  return pages;
}

function found(path: string, options: HttpOptions): Serve | null {
  const page = docsPage(path) ?? problemPage(path) ?? options.site?.(path) ?? null;
  if (!page) return options.hub?.(path) ?? null;
  return async (ctx) => sendPage(ctx, typeof page === 'function' ? await page() : page);
}

function allowsMethod(ctx: Context): boolean {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return true;
  const allow = ['GET', 'HEAD', 'OPTIONS'];
  if (ctx.method !== 'OPTIONS')
    throw new Refused({
      kind: 'method-not-allowed',
      detail: `${ctx.method} is not possible here: only GET.`,
      allow,
    });
  ctx.set('Allow', allow.join(', '));
  ctx.status = 204;
  return false;
}

function sendReadiness(ctx: Context, { ok, reasons }: ReturnType<HttpOptions['probes']['ready']>): void {
  sendJson(ctx, ok ? 200 : 503, { status: ok ? 'ready' : 'unavailable', reasons });
}

function sendJson(ctx: Context, status: number, value: object): void {
  sendPage(ctx, { body: JSON.stringify(value), contentType: 'application/json; charset=utf-8' });
  ctx.status = status;
}

function sendPage(ctx: Context, page: Page): void {
  ctx.status = 200;
  ctx.body = page.body;
  ctx.set('Content-Type', page.contentType);
  ctx.set('Cache-Control', page.cacheControl ?? 'no-store');
  if (page.contentSecurityPolicy) ctx.set('Content-Security-Policy', page.contentSecurityPolicy);
}
