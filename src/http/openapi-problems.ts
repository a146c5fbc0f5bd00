import type { Refusal } from '../domain/refusal.ts';
import { type ProblemKind, problemKinds, refusalKinds } from './problem.ts';

const schema = { $ref: '#/components/schemas/Problem' };

/** Every problem as a response component, by its slug. */
export function problemResponses(): Record<string, object> {
  return Object.fromEntries(
    [...problemKinds()].map(([slug, kind]) => [slug, response(kind.title, [slug, kind])]),
  );
}

/** The responses for a set of refusals, by status, and the 500 every operation may have. */
export function refusalResponses(kinds: ReadonlySet<Refusal['kind']>): Record<string, object> {
  const byStatus = new Map<number, Refusal['kind'][]>();
  for (const kind of kinds) {
    const { status } = refusalKinds[kind];
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  const entries = [...byStatus].map(([status, same]) => [String(status), forStatus(same)]);
  return { ...Object.fromEntries(entries), 500: reference('internal') };
}

function forStatus(kinds: readonly Refusal['kind'][]): object {
  const [only] = kinds;
  if (kinds.length === 1 && only) return reference(only);
  const titles = kinds.map((kind) => refusalKinds[kind].title).join('; ');
  return response(titles, ...kinds.map((kind): [string, ProblemKind] => [kind, refusalKinds[kind]]));
}

function reference(slug: string): object {
  return { $ref: `#/components/responses/${slug}` };
}

function response(description: string, ...kinds: readonly [string, ProblemKind][]): object {
  const examples = kinds.map(([slug, { status, title, help }]) => [
    slug,
    { value: { type: `/problems/${slug}`, title, status, detail: help } },
  ]);
  return {
    description,
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}
