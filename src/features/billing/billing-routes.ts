import { billingPortalExample, billingPortalSchema } from '../../contract/billing.ts';
import { type Route, route } from '../../http/route.ts';

export interface BillingRoutesOptions {
  /** The `license` member of GET /license. */
  readonly licence: (orgId: string) => object;
}

/** GET /billing/portal, for administrators. */
export function billingRoutes({ licence }: BillingRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/billing/portal',
      operationId: 'getBillingPortal',
      summary: 'Where the account is paid for: on premises, nowhere',
      tag: 'Account',
      access: 'admin',
      responses: {
        200: {
          description: 'No portal, and the licence in force',
          schema: billingPortalSchema,
          example: billingPortalExample,
        },
      },
      handle: ({ caller }) => ({ status: 200, body: { url: null, licence: licence(caller.orgId) } }),
    }),
  ];
}
