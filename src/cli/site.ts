import { randomUUID } from 'node:crypto';
import { formatInstant } from '../lib/instant.ts';
import { appendAudit } from '../store/audit.ts';
import { Licences } from '../store/licences.ts';
import { ofOrg } from '../store/of-org.ts';
import { addSite } from '../store/organisations.ts';
import { tables } from '../store/tables.ts';
import { CliError, type CommonOptions, withStore } from './context.ts';
import { checkedName } from './names.ts';
import { print, tableLines } from './output.ts';

/** `tagkeep site add NAME`: one more site, as far as the licence allows. */
export async function addSiteNamed(text: string, options: CommonOptions): Promise<void> {
  const name = checkedName(text, 'site');
  await withStore(options, async ({ config, store, org }) => {
    const now = Date.now();
    const licences = new Licences(config.licence.publicKey);
    const site = await store.write((tx) => {
      const { maxSites } = licences.of(tx, org.id);
      const made = addSite(tx, org.id, { name, now, newId: randomUUID, maxSites });
      if (!made) throw new CliError(`${org.name} has a site "${name}" already`);
      const resource = `sites/${made.id}`;
      appendAudit(tx, { orgId: org.id, at: now, action: 'create', resource, after: { name } });
      return made;
    });
    print({ id: site.id, name, createdAt: formatInstant(now) }, options, [`added ${name} to ${org.name}`]);
  });
}

/** `tagkeep site list`: the sites of the organisation, oldest first. New zones belong to the first. */
export async function listSites(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const zones = ofOrg(store, tables.zones, org.id);
    const sites = ofOrg(store, tables.sites, org.id).toSorted((a, b) => a.createdAt - b.createdAt);
    const records = sites.map(({ id, name, createdAt }) => ({
      ...{ id, name, createdAt: formatInstant(createdAt) },
      zones: zones.filter(({ siteId }) => siteId === id).length,
    }));
    const rows = records.map((one) => [one.id, one.name, `${one.zones}`, one.createdAt]);
    print(records, options, tableLines(['ID', 'NAME', 'ZONES', 'CREATED'], rows));
  });
}
