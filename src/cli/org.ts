import { randomUUID } from 'node:crypto';
import { formatInstant } from '../lib/instant.ts';
import { appendAudit } from '../store/audit.ts';
import { readerCount, siteCount } from '../store/licences.ts';
import { addOrganisation } from '../store/organisations.ts';
import { tables } from '../store/tables.ts';
import { CliError, type CommonOptions, withStore } from './context.ts';
import { checkedName } from './names.ts';
import { print, tableLines } from './output.ts';

/** `tagkeep org add NAME`: an organisation with one site. It has neither users nor keys yet. */
export async function addOrg(text: string, options: CommonOptions): Promise<void> {
  const name = checkedName(text, 'organisation');
  await withStore(options, async ({ store }) => {
    const now = Date.now();
    const org = await store.write((tx) => {
      const made = addOrganisation(tx, { name, now, newId: randomUUID });
      if (!made) throw new CliError(`there is an organisation "${name}" already`);
      const resource = `organisations/${made.id}`;
      appendAudit(tx, { orgId: made.id, at: now, action: 'create', resource, after: { name } });
      return made;
    });
    const record = { id: org.id, name, createdAt: formatInstant(now) };
    print(record, options, [`added ${name}; give --org "${name}" to work with it`]);
  });
}

/** `tagkeep org list`: every organisation, in the order they were made; the first is the default of `--org`. */
export async function listOrgs(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store }) => {
    const orgs = Array.from(store.range(tables.orgs), ({ value }) => value).sort((a, b) => a.no - b.no);
    const records = orgs.map(({ id, name, createdAt }) => ({
      ...{ id, name, createdAt: formatInstant(createdAt) },
      ...{ sites: siteCount(store, id), readers: readerCount(store, id) },
    }));
    const rows = records.map((one) => [one.id, one.name, `${one.sites}`, `${one.readers}`, one.createdAt]);
    print(records, options, tableLines(['ID', 'NAME', 'SITES', 'READERS', 'CREATED'], rows));
  });
}
