import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { Refused, refuse } from '../domain/refusal.ts';
import { accessRefusal, anonymous, credentialsOf, unauthenticated } from './access.ts';
import { contractBreach, writeAnswer } from './answer.ts';
import { bodyOf } from './body.ts';
import type { HttpOptions } from './options.ts';
import type { Caller, Route } from './route.ts';
import { check } from './validation.ts';

/** Where the interface lives; its version is the last segment. */
export const apiBase = '/api/v1';

/** The routes as Koa middleware: matching, then per call access, validation, behaviour, answer, in this order. */
export function apiMiddleware(options: HttpOptions): Middleware {
  const router = new Router({ prefix: apiBase, strict: true, sensitive: true });
  // `/tags/export` has to be tried before `/tags/{epc}`.
  const fixedFirst = options.routes.toSorted((a, b) => parameters(a) - parameters(b));
  for (const route of fixedFirst)
    router.register(pattern(route.path), [route.method], (ctx: RouterContext) => serve(ctx, route, options));
  const routes = router.routes();
  return async (ctx, next) => {
    // @koa/router's own context type; the router adds what is missing.
    await routes(ctx as unknown as Parameters<typeof routes>[0], async () => {
      refuseMethod(ctx, router);
      await next();
    });
  };
}

function parameters(route: Route): number {
  return route.path.split('{').length;
}

function pattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

// Reached when no route has the address with this method.
function refuseMethod(ctx: Context, router: Router): void {
  const layers = router.match(ctx.path, ctx.method).path;
  const methods = new Set(layers.flatMap((layer) => layer.methods));
  if (methods.size === 0) return;
  const allow = [...methods, 'OPTIONS'].sort();
  if (ctx.method !== 'OPTIONS')
    throw new Refused({
      kind: 'method-not-allowed',
      detail: `${ctx.method} is not possible here: only ${allow.join(', ')}.`,
      allow,
    });
  ctx.set('Allow', allow.join(', '));
  ctx.status = 204;
}

async function serve(ctx: RouterContext, route: Route, options: HttpOptions): Promise<void> {
  ctx.state.operationId = route.operationId;
  ctx.set('Cache-Control', 'no-store');
  const caller = await admit(ctx, route, options);
  const params = route.params ? check(route.params, ctx.params, 'path') : {};
  const query = route.query ? check(route.query, queryOf(ctx), 'query') : {};
  const body = await bodyOf(ctx, route);
  const raw = { req: ctx.req, res: ctx.res };
  const answer = await route.handle({ caller, params, query, body, requestId: ctx.state.requestId, raw });
  if (answer === 'taken') {
    ctx.respond = false;
    return;
  }
  const breach = options.checkResponses ? contractBreach(route, answer) : null;
  if (breach !== null) throw new Error(`${route.operationId} answers against its own contract: ${breach}`);
  await writeAnswer(ctx, route, answer);
}

async function admit(ctx: Context, route: Route, options: HttpOptions): Promise<Caller> {
  const address = ctx.req.socket.remoteAddress ?? '';
  if (route.access === 'public') return anonymous(address);
  const credentials = credentialsOf(ctx.req);
  const isStranger = credentials.bearer === null && credentials.cookie === null;
  const caller = isStranger ? null : await options.authenticate(credentials);
  if (!caller) throw unauthenticated(credentials);
  const refusal = accessRefusal(route.access, caller);
  if (refusal) throw new Refused(refusal);
  const isWrite = route.method !== 'GET' && !route.readsOnly;
  const writeRefusal = isWrite ? options.beforeWrite?.(caller, route) : null;
  if (writeRefusal) throw new Refused(writeRefusal);
  return caller;
}

// Repeated parameters arrive as a list, which schemas of single values refuse.
function queryOf(ctx: Context): Record<string, unknown> {
  const search = new URLSearchParams(ctx.querystring);
  const names = [...new Set(search.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Ends the API: an address below it that no route has. */
export function unknownAddress(path: string): Refused {
  return refuse('not-found', `There is nothing at ${path.slice(0, 200)}.`);
}
