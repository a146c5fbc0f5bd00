import { randomUUID } from 'node:crypto';
import { formatInstant } from '../lib/instant.ts';
import { isTimeZone, ownTimeZone } from '../lib/time-zone.ts';
import { appendAudit } from '../store/audit.ts';
import { Licences } from '../store/licences.ts';
import { ofOrg } from '../store/of-org.ts';
import { addSite } from '../store/organisations.ts';
import { tables } from '../store/tables.ts';
import { CliError, CliUsageError, type CommonOptions, withStore } from './context.ts';
import { checkedName } from './names.ts';
import { print, tableLines } from './output.ts';

export interface AddSiteOptions extends CommonOptions {
  /** IANA time zone; absent: the appliance's own. */
  readonly timeZone?: string;
}

/** `tagkeep site add NAME [--time-zone ZONE]`: one more site, as far as the licence allows. */
export async function addSiteNamed(text: string, options: AddSiteOptions): Promise<void> {
  const name = checkedName(text, 'site');
  const timeZone = checkedTimeZone(options.timeZone);
  await withStore(options, async ({ config, store, org }) => {
    const now = Date.now();
    const licences = new Licences(config.licence.publicKey);
    const site = await store.write((tx) => {
      const { maxSites } = licences.of(tx, org.id);
      const made = addSite(tx, org.id, { name, timeZone, now, newId: randomUUID, maxSites });
      if (!made) throw new CliError(`${org.name} has a site "${name}" already`);
      const after = { name, timeZone };
      appendAudit(tx, { orgId: org.id, at: now, action: 'create', resource: `sites/${made.id}`, after });
      return made;
    });
    const record = { id: site.id, name, timeZone, createdAt: formatInstant(now) };
    print(record, options, [`added ${name} (${timeZone}) to ${org.name}`]);
  });
}

function checkedTimeZone(text = ownTimeZone()): string {
  if (isTimeZone(text)) return text;
  const written = JSON.stringify(text.slice(0, 64));
  throw new CliUsageError(`--time-zone is an IANA time zone such as Europe/Berlin, not ${written}`);
}

/** `tagkeep site list`: the sites of the organisation, oldest first. New zones belong to the first. */
export async function listSites(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const zones = ofOrg(store, tables.zones, org.id);
    const sites = ofOrg(store, tables.sites, org.id).toSorted((a, b) => a.createdAt - b.createdAt);
    const records = sites.map(({ id, name, timeZone = ownTimeZone(), createdAt }) => ({
      ...{ id, name, timeZone, createdAt: formatInstant(createdAt) },
      zones: zones.filter(({ siteId }) => siteId === id).length,
    }));
    const rows = records.map((one) => [one.id, one.name, one.timeZone, `${one.zones}`, one.createdAt]);
    print(records, options, tableLines(['ID', 'NAME', 'TIME ZONE', 'ZONES', 'CREATED'], rows));
  });
}
