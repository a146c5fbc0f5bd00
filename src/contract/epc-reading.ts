import { z } from 'zod';
import { epcSchemes } from '../domain/epc-schemes.ts';
import { epc } from './scalars.ts';

/** What an EPC says by GS1's Tag Data Standard (extension). */
export const epcReadingSchema = z
  .object({
    epc,
    scheme: z.enum(epcSchemes).nullable().meta({ description: 'What it stands for; null: no GS1 code' }),
    encoding: z.string().nullable().meta({ description: 'Its binary form: `SGTIN-96`' }),
    uri: z.string().nullable().meta({ description: 'EPC Pure Identity URI' }),
    tagUri: z.string().nullable().meta({ description: 'EPC Tag URI' }),
    elements: z
      .array(z.object({ name: z.string(), label: z.string(), value: z.string() }))
      .meta({ description: 'The GS1 key with its check digit first' }),
    digitalLink: z.string().nullable().meta({ description: 'GS1 Digital Link; null where there is none' }),
    text: z.string().meta({ description: 'One line for people' }),
    problem: z.string().nullable().meta({ description: 'Why nothing could be read, in words' }),
  })
  .meta({ id: 'EpcReading', description: 'An EPC in words' });
export type EpcReadingAnswer = z.infer<typeof epcReadingSchema>;

export const epcReadingExample: EpcReadingAnswer = {
  epc: '3074257BF7194E4000001A85',
  scheme: 'sgtin',
  encoding: 'SGTIN-96',
  uri: 'urn:epc:id:sgtin:0614141.812345.6789',
  tagUri: 'urn:epc:tag:sgtin-96:3.0614141.812345.6789',
  elements: [
    { name: 'gtin', label: 'GTIN', value: '80614141123458' },
    { name: 'serial', label: 'Serial', value: '6789' },
    { name: 'companyPrefix', label: 'Company prefix', value: '0614141' },
    { name: 'filter', label: 'Filter', value: '3' },
  ],
  digitalLink: 'https://id.gs1.org/01/80614141123458/21/6789',
  text: 'GTIN 80614141123458, serial 6789',
  problem: null,
};
