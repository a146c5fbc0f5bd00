import { z } from 'zod';
import { epcReadingExample, epcReadingSchema } from '../../contract/epc-reading.ts';
import { epcInput } from '../../contract/scalars.ts';
import { readEpc } from '../../domain/epc-reading.ts';
import { type Route, route } from '../../http/route.ts';

const description = [
  "What the number itself says by GS1's Tag Data Standard, whether or not a tag with it is known. An EPC that follows no",
  'scheme, or breaks a rule of its own, has `scheme` null and a `problem`.',
].join(' ');

/** GET /epcs/{epc} (extension). */
export function epcRoutes(): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/epcs/{epc}',
      operationId: 'readEpc',
      summary: 'An EPC in words (extension)',
      description,
      tag: 'Tags and tag data',
      access: 'caller',
      params: z.object({ epc: epcInput }),
      responses: {
        200: { description: 'What it says', schema: epcReadingSchema, example: epcReadingExample },
      },
      handle: ({ params: { epc } }) => {
        const { elements, ...reading } = readEpc(epc);
        return { status: 200, body: { epc, ...reading, elements: [...elements] } };
      },
    }),
  ];
}
