import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractBreach } from '../../src/http/answer.ts';
import { type House, openHouse } from '../support/house.ts';

let house: House;

beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('what the routes say of themselves', () => {
  test('every answer with a JSON body has an example that keeps to its own schema', () => {
    for (const route of house.routes)
      for (const [status, { schema, example }] of Object.entries(route.responses)) {
        const name = `${route.operationId} ${status}`;
        if (schema) expect(contractBreach(route, { status: Number(status), body: example }), name).toBeNull();
      }
  });

  test('every request with a body has an example that the route takes', () => {
    for (const { operationId, body, bodyExample } of house.routes)
      if (body) expect(body.safeParse(bodyExample).error, operationId).toBeUndefined();
  });

  test('every route has a summary, a tag and an operation id of its own', () => {
    for (const { summary, tag, operationId } of house.routes)
      expect([summary, tag, operationId].map((text) => text.trim() !== '')).toEqual([true, true, true]);
    expect(new Set(house.routes.map(({ operationId }) => operationId)).size).toBe(house.routes.length);
  });

  test('paging parameters are documented as what they are', () => {
    const { paths } = house.server.openapi as { paths: Record<string, { get: { parameters: object[] } }> };
    expect(paths['/tags']?.get.parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 500 },
      }),
    );
  });
});
