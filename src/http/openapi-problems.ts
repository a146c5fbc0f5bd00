import type { Refusal } from '../domain/refusal.ts';
import { type ProblemKind, protocolKinds, refusalKinds } from './problem.ts';

const schema = { $ref: '#/components/schemas/Problem' };

/** Puts refusals into operations and keeps those that are pointed to: a component nobody uses is noise. */
export interface ProblemCollector {
  /** The responses for a set of refusals, by status, and the 500 every operation may have; none for statuses in `own`. */
  responses(kinds: ReadonlySet<Refusal['kind']>, own: ReadonlySet<string>): Record<string, object>;
  /** What was pointed to so far, by slug. */
  components(): Readonly<Record<string, object>>;
}

/** A collector for one document. */
export function collectProblems(): ProblemCollector {
  const components = new Map<string, object>();
  const reference = (slug: string, kind: ProblemKind): object => {
    components.set(slug, response(kind.title, [slug, kind]));
    return { $ref: `#/components/responses/${slug}` };
  };
  const forStatus = (kinds: readonly Refusal['kind'][]): object => {
    const [only] = kinds;
    if (kinds.length === 1 && only) return reference(only, refusalKinds[only]);
    const titles = kinds.map((kind) => refusalKinds[kind].title).join('; ');
    return response(titles, ...kinds.map((kind): Named => [kind, refusalKinds[kind]]));
  };
  return {
    responses(kinds, own) {
      const implied = [...byStatus(kinds)].filter(([status]) => !own.has(String(status)));
      const entries = implied.map(([status, same]) => [String(status), forStatus(same)]);
      return { ...Object.fromEntries(entries), 500: reference('internal', protocolKinds.internal) };
    },
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

type Named = readonly [slug: string, kind: ProblemKind];

function byStatus(kinds: ReadonlySet<Refusal['kind']>): Map<number, Refusal['kind'][]> {
  const found = new Map<number, Refusal['kind'][]>();
  for (const kind of kinds) {
    const { status } = refusalKinds[kind];
    found.set(status, [...(found.get(status) ?? []), kind]);
  }
  return found;
}

/** Headers HTTP demands beside a status; `http/problem.ts` sends them. */
const headersOf: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { description: 'Always `Bearer`', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
};

function response(description: string, ...kinds: readonly Named[]): object {
  const headers = headersOf[kinds[0]?.[1].status ?? 0];
  const examples = kinds.map(([slug, { status, title, help }]) => [
    slug,
    { value: { type: `/problems/${slug}`, title, status, detail: help } },
  ]);
  return {
    description,
    ...(headers && { headers }),
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}
