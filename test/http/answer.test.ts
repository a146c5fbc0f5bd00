import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { contractBreach } from '../../src/http/answer.ts';
import { type Answer, route } from '../../src/http/route.ts';

const one = route({
  ...{ method: 'GET', path: '/one', operationId: 'one', summary: 'One', tag: 'one', access: 'caller' },
  responses: {
    200: {
      description: 'One',
      schema: z.object({ name: z.string() }),
      headers: { Link: 'The next page' },
    },
    203: { description: 'Text', contentType: 'text/csv' },
    204: { description: 'Nothing' },
  },
  handle: () => ({ status: 204 }),
});
const body = { name: 'x' };

type Given = Exclude<Answer, 'taken'>;

describe('an answer that keeps to its route is no breach', () => {
  test.each<Given>([
    { status: 200, body },
    { status: 200, body, headers: { link: '<x>; rel="next"' } },
    { status: 203, body: 'epc\n' },
    { status: 203, body: 'epc\n', headers: { 'Content-Type': 'text/csv; charset=utf-8' } },
    { status: 204 },
  ])('%j', (answer) => expect(contractBreach(one, answer)).toBeNull());
});

describe('a breach is named', () => {
  test.each<[Given, string]>([
    [{ status: 201, body }, 'status 201 is not declared'],
    [{ status: 200 }, 'the declared body is missing'],
    [{ status: 200, body: { name: 7 } }, 'body.name: Invalid input: expected string, received number'],
    [{ status: 200, body: { name: 'x', more: 1 } }, 'body.more: is not declared'],
    [{ status: 200, body, headers: { 'X-More': '1' } }, 'header X-More is not declared'],
    [{ status: 203 }, 'the declared body is missing'],
    [
      { status: 203, body: 'x', headers: { 'content-type': 'text/html' } },
      'the body is text/html, declared is text/csv',
    ],
    [{ status: 204, body: 'x' }, 'a body is sent but none is declared'],
    [{ status: 204, headers: { 'Set-Cookie': 'a=b' } }, 'header Set-Cookie is not declared'],
  ])('%j', (answer, breach) => expect(contractBreach(one, answer)).toBe(breach));
});
