import { once } from 'node:events';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import type { Answer, ResponseSpec, Route } from './route.ts';

/** Writes a handler's answer. A stream that fails before its first byte still becomes a proper 500. */
export async function writeAnswer(
  ctx: Context,
  route: Route,
  answer: Exclude<Answer, 'taken'>,
): Promise<void> {
  const spec = route.responses[answer.status];
  ctx.status = answer.status;
  ctx.set({ ...answer.headers });
  if (answer.body === undefined) {
    ctx.body = null;
    return;
  }
  if (answer.body instanceof Readable) await once(answer.body, 'readable');
  ctx.body = isRaw(answer.body) ? answer.body : JSON.stringify(answer.body);
  if (!answer.headers?.['Content-Type'])
    ctx.set('Content-Type', spec?.contentType ?? 'application/json; charset=utf-8');
}

function isRaw(body: unknown): body is Readable | Buffer {
  return body instanceof Readable || Buffer.isBuffer(body) || typeof body === 'string';
}

/** What an answer has that its route does not promise, or the other way round; null when they agree. For tests. */
export function contractBreach(route: Route, answer: Exclude<Answer, 'taken'>): string | null {
  const spec = route.responses[answer.status];
  if (!spec) return `status ${answer.status} is not declared`;
  const strange = headerBreach(spec, answer.headers ?? {});
  if (strange !== null) return strange;
  if (spec.schema === undefined || isRaw(answer.body)) return bodyPresenceBreach(spec, answer);
  if (answer.body === undefined) return 'the declared body is missing';
  const sent: unknown = JSON.parse(JSON.stringify(answer.body));
  const result = spec.schema.safeParse(sent);
  if (result.success) return undeclared(sent, result.data, 'body');
  const issue = result.error.issues[0];
  return `${['body', ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message}`;
}

function headerBreach(spec: ResponseSpec, headers: Readonly<Record<string, string>>): string | null {
  const known = new Set(Object.keys(spec.headers ?? {}).map((name) => name.toLowerCase()));
  const { contentType = 'application/json' } = spec;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'content-type') {
      if (!known.has(name.toLowerCase())) return `header ${name} is not declared`;
    } else if (!isOfType(value.split(';')[0] ?? '', contentType.split(';')[0] ?? ''))
      return `the body is ${value}, declared is ${contentType}`;
  }
  return null;
}

function isOfType(sent: string, declared: string): boolean {
  return declared.endsWith('/*') ? sent.startsWith(declared.slice(0, -1)) : sent === declared;
}

function bodyPresenceBreach(spec: ResponseSpec, answer: Exclude<Answer, 'taken'>): string | null {
  const declared = spec.schema !== undefined || spec.contentType !== undefined;
  if (declared === (answer.body !== undefined)) return null;
  return declared ? 'the declared body is missing' : 'a body is sent but none is declared';
}

// Schemas strip what they do not name; what is missing from the parsed value is a member nobody documented.
function undeclared(sent: unknown, parsed: unknown, path: string): string | null {
  if (isDeepStrictEqual(sent, parsed)) return null;
  if (typeof sent !== 'object' || sent === null || typeof parsed !== 'object' || parsed === null)
    return `${path}: differs from its schema's form`;
  const known = new Map<string, unknown>(Object.entries(parsed));
  for (const [name, value] of Object.entries(sent)) {
    if (!known.has(name)) return `${path}.${name}: is not declared`;
    const inner = undeclared(value, known.get(name), `${path}.${name}`);
    if (inner) return inner;
  }
  return null;
}
