import {
  type Organisation,
  organisationChangeSchema,
  organisationExample,
  organisationSchema,
} from '../../contract/organisation.ts';
import { refuse } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { auditedWrite } from '../../store/audit.ts';
import { renameOrganisation } from '../../store/organisations.ts';
import type { OrgRecord } from '../../store/records.ts';
import type { Reading, Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

export interface OrganisationRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

const shared = { path: '/organisation', tag: 'Organisation and sites' } as const;
const responses = {
  200: { description: 'The organisation', schema: organisationSchema, example: organisationExample },
};

/** GET and PATCH /organisation (extension). */
export function organisationRoutes(options: OrganisationRoutesOptions): readonly Route[] {
  return [showRoute(options), changeRoute(options)];
}

function showRoute({ store }: OrganisationRoutesOptions): Route {
  return route({
    ...shared,
    method: 'GET',
    operationId: 'getOrganisation',
    summary: "The caller's organisation (extension)",
    access: 'caller',
    responses,
    handle: ({ caller }) => ({ status: 200, body: shown(organisationOf(store, caller.orgId)) }),
  });
}

function changeRoute({ store, now }: OrganisationRoutesOptions): Route {
  return route({
    ...shared,
    method: 'PATCH',
    operationId: 'changeOrganisation',
    summary: 'Rename the organisation (extension)',
    description:
      'The command line finds it by its name (`--org`), so no other on this appliance may have it.',
    access: 'admin',
    body: organisationChangeSchema,
    bodyExample: { name: organisationExample.name },
    responses,
    refusals: ['name-taken'],
    handle: async ({ caller, body: { name } }) => {
      const { orgId } = caller;
      const org = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = organisationOf(tx, orgId);
        const after = renameOrganisation(tx, before, name);
        if (!after) throw refuse('name-taken', `Another organisation has the name ${JSON.stringify(name)}.`);
        const names = { before: { name: before.name }, after: { name } };
        note({ action: 'update', resource: `organisations/${orgId}`, ...names });
        return after;
      });
      return { status: 200, body: shown(org) };
    },
  });
}

function organisationOf(reading: Reading, orgId: string): OrgRecord {
  const org = reading.get(tables.orgs, orgId);
  // A caller was found in it: one that is not there is a fault of ours.
  if (!org) throw new Error(`organisation ${orgId} is not in the store`);
  return org;
}

function shown({ id, name, createdAt }: OrgRecord): Organisation {
  return { id, name, createdAt: formatInstant(createdAt) };
}
