import { z } from 'zod';

/** The answer of GET /billing/portal. */
export const billingPortalSchema = z
  .object({
    url: z.null().meta({ description: 'On premises there is no billing portal' }),
    licence: z.looseObject({}).meta({ description: 'The `license` member of GET /license' }),
  })
  .meta({ id: 'BillingPortal', description: 'Where the account is paid for' });

export const billingPortalExample = {
  url: null,
  licence: { valid: true, edition: 'on-premises', state: 'licensed', readOnly: false },
};
