import {
  type LicenceAnswer,
  licenceAnswer,
  licenceAnswerSchema,
  licenceExample,
  licenceTokenExample,
  licenceTokenSchema,
} from '../../contract/licence.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { installLicence, type Licences, readerCount, siteCount } from '../../store/licences.ts';
import type { Store } from '../../store/store.ts';

export interface LicenceRoutesOptions {
  readonly store: Store;
  readonly licences: Licences;
  /** Epoch ms. */
  readonly now: () => number;
}

/** An organisation may have thousands of readers, and is asked for their number often: counted when it may have changed. */
class UsageCount {
  readonly #store: Store;
  readonly #known = new Map<string, { readonly version: number; readonly readers: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  of(orgId: string): LicenceAnswer['usage'] {
    // Before the count: what changes meanwhile is counted at the next call.
    const version = this.#store.directoryVersion();
    const known = this.#known.get(orgId);
    const sites = siteCount(this.#store, orgId);
    if (known?.version === version) return { readers: known.readers, sites };
    const readers = readerCount(this.#store, orgId);
    this.#known.set(orgId, { version, readers });
    return { readers, sites };
  }
}

const tag = 'Account';
const answer = { description: 'The licence', schema: licenceAnswerSchema, example: licenceExample };

/** GET /license, and PUT /license (extension), which stays possible while the licence is read-only. */
export function licenceRoutes(options: LicenceRoutesOptions): readonly Route[] {
  const { store, licences, now } = options;
  const usage = new UsageCount(store);
  const show = (orgId: string): LicenceAnswer =>
    licenceAnswer(licences.of(store, orgId), usage.of(orgId), now());
  return [showRoute(show), installRoute(options, show)];
}

function showRoute(show: (orgId: string) => LicenceAnswer): Route {
  return route({
    method: 'GET',
    path: '/license',
    operationId: 'getLicence',
    summary: 'The licence, how it stands, and what is used of it',
    description:
      'Check `license.readOnly` before a batch of writes: while it is true, writes are answered 402.',
    tag,
    access: 'caller',
    responses: { 200: answer },
    handle: ({ caller: { orgId } }) => ({ status: 200, body: show(orgId) }),
  });
}

function installRoute(
  { store, licences, now }: LicenceRoutesOptions,
  show: (orgId: string) => LicenceAnswer,
): Route {
  return route({
    method: 'PUT',
    path: '/license',
    operationId: 'installLicence',
    summary: 'Install a licence (extension)',
    description: [
      'Possible while writes are refused. A token that does not verify changes nothing.',
      'One that has expired is installed like any other and makes the account read-only.',
    ].join(' '),
    tag,
    access: 'admin',
    body: licenceTokenSchema,
    bodyExample: licenceTokenExample,
    responses: { 200: answer },
    refusals: ['licence-invalid'],
    handle: async ({ caller, body }) => {
      const { orgId } = caller;
      const checked = licences.check(body.token);
      const at = now();
      await auditedWrite(store, { author: caller, now: at }, (tx, note) =>
        note(installLicence(tx, orgId, { ...checked, now: at })),
      );
      return { status: 200, body: show(orgId) };
    },
  });
}
