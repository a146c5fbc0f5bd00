import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import type { Operation } from '../support/contract-document.ts';
import type { RawAnswer } from '../support/mutation-client.ts';
import { type Plan, plansFor } from '../support/mutation-plans.ts';
import { type Spoiled, spoil, surfaceOf } from '../support/mutation-request.ts';
import { MutationWorld } from '../support/mutation-world.ts';

/** Requests for each operation; `MUTATIONS=100` for a quick run. */
const RUNS = Number(process.env.MUTATIONS ?? 1000);

/** These take their time on purpose (scrypt, primes), and some refuse after a while because of the failures of this very test. */
const SLOW_RUNS = 30;
const slow: ReadonlySet<string> = new Set([
  ...['POST /auth/login', 'POST /auth/password', 'POST /users', 'POST /devices'],
]);

const world = await MutationWorld.open();
afterAll(() => world.close());

// Reading comes first, while lists are short; logging in last: its failures lock the administrator out.
const operations = world.doc.operations.toSorted((a, b) => rank(a) - rank(b));
const named = operations.map((one): [string, Operation] => [`${one.method} ${one.path}`, one]);

function rank({ method, path }: Operation): number {
  const auth = ['/auth/logout', '/auth/password', '/auth/login'].indexOf(path);
  return auth >= 0 ? 2 + auth : method === 'GET' ? 0 : 1;
}

/** What is wrong with an answer, told with the request; null when nothing is. */
function faultOf(operation: Operation, { named: field }: Spoiled, answer: RawAnswer): string | null {
  const { status, type, text } = answer;
  if (status >= 500 && status !== 503) return `is answered ${status}: ${world.errors.splice(0).join('')}`;
  const documented = operation.responses[status];
  if (!documented) return `is answered ${status}, which is not documented`;
  const [media, body] = Object.entries(documented.content ?? {})[0] ?? ['', null];
  if (type !== media) return `is answered as "${type}", documented is "${media}"`;
  if (!body || !type.endsWith('json')) return null;
  const value: unknown = JSON.parse(text);
  const breach = world.doc.breach(body.schema, value);
  if (breach) return `has an answer that is not as documented: ${breach}`;
  return status >= 400 ? problemFault(value as Problem, status, field) : null; // its schema was just checked
}

interface Problem {
  readonly type: string;
  readonly status: number;
  readonly errors?: readonly { readonly path: string }[];
}

function problemFault({ type, status: told, errors }: Problem, status: number, field: string | null) {
  if (told !== status) return `says ${told} and is ${status}`;
  if (type !== '/problems/invalid' || field === null) return null;
  const isNamed = errors?.some(({ path }) => path === field || path.startsWith(`${field}.`));
  return isNamed ? null : `is refused without naming ${field}`;
}

/** Sends one spoiled request and fails with all there is to know when the answer, or what it left behind, is wrong. */
async function run(operation: Operation, plan: Plan): Promise<void> {
  const spoiled = await spoil(world, operation, plan);
  await world.settled();
  const [changes, counts] = [world.changes.length, world.counts()];
  const answer = await world.client.send(spoiled.request);
  if (answer.status < 300 && operation.method !== 'GET') world.stir();
  if (answer.status < 300 && operation.path.startsWith('/auth/')) world.forgetSession();
  const left = world.changedSince(changes);
  const isLogin = operation.path.startsWith('/auth/');
  const kept = isLogin ? left.filter((one) => !/^(audit|meta) /.test(one)) : left;
  const isRefused = answer.status >= 400;
  const changed = isRefused && (kept.length > 0 || world.counts() !== counts);
  const fault = changed
    ? `is refused with ${answer.status} and changes ${kept.join(', ') || 'a table written behind'}`
    : faultOf(operation, spoiled, answer);
  if (fault) throw new Error(told(spoiled, answer, fault));
}

function told({ request }: Spoiled, answer: RawAnswer, fault: string): string {
  const { authorization: _, cookie: __, ...headers } = request.headers;
  const body = request.body ? request.body.toString().slice(0, 500) : '(no body)';
  const sent = `${request.method} ${request.target.slice(0, 300)} ${JSON.stringify(headers)}\n${body}`;
  return `${fault}\n${sent}\nanswer ${answer.status}: ${answer.text.slice(0, 500)}`;
}

describe('whatever is wrong with a request: a documented answer that names it, never a 500, and nothing kept', () => {
  test('there are operations to try, and a change of the store is seen', async () => {
    expect(named.length).toBeGreaterThan(10);
    expect(RUNS).toBeGreaterThan(0);
    const before = world.changes.length;
    await world.app.store.write((tx) => tx.remove(tables.zones, ['org', 'zone']));
    expect(world.changes.slice(before)).toContain('zones ["org","zone"]');
  });

  test.each(named)(
    '%s',
    async (name, operation) => {
      const plans = plansFor(surfaceOf(operation));
      const numRuns = slow.has(name) ? Math.min(SLOW_RUNS, RUNS) : RUNS;
      await fc.assert(
        fc.asyncProperty(plans, (plan) => run(operation, plan)),
        { numRuns },
      );
    },
    180_000,
  );
});
