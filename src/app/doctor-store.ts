import { licenceStanding } from '../domain/licence.ts';
import { Licences } from '../store/licences.ts';
import { newestSchema } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { counted, type Finding } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';

/** Below this a licence's end is worth a word. */
const LICENCE_SOON_DAYS = 30;

/** Whether the store opens, its schema, and how much is in it. */
export function checkStore({ store, storeProblem }: Sight): readonly Finding[] {
  if (!store) {
    const message = storeProblem ?? "the store can't be opened";
    const advice = 'look at the folder, and run this as the user who owns it';
    return [{ check: 'store', level: 'fault', message, advice }];
  }
  const schema = store.get(tables.meta, 'schemaVersion');
  if (schema === undefined)
    return [{ check: 'store', level: 'fault', message: 'the store has no schema yet' }];
  const [tags, visits] = [store.count(tables.tags), store.count(tables.visits)];
  const readers = store.count(tables.readers);
  const held = `${counted(readers, 'reader')}, ${counted(tags, 'tag')}, ${counted(visits, 'visit')}`;
  return [{ check: 'store', ...schemaFinding(store, { schema, held }) }];
}

function schemaFinding(
  store: Store,
  { schema, held }: { readonly schema: number; readonly held: string },
): Omit<Finding, 'check'> {
  const newest = Math.max(schema, store.get(tables.meta, 'upgradingTo') ?? 0);
  if (newest > newestSchema) {
    const message = `schema ${newest}, this Tagkeep knows up to ${newestSchema}: ${held}`;
    return { level: 'fault', message, advice: 'install the newer version again' };
  }
  if (schema === newestSchema) return { level: 'ok', message: `schema ${schema}: ${held}` };
  const message = `schema ${schema}, to be upgraded to ${newestSchema}: ${held}`;
  return { level: 'warning', message, advice: 'start the appliance; it upgrades the data first' };
}

/** How each organisation's licence stands. */
export function checkLicences({ store, config, now }: Sight): readonly Finding[] {
  if (!store) return [];
  const licences = new Licences(config.licence.publicKey);
  return Array.from(store.range(tables.orgs), ({ value: org }): Finding => {
    const claims = licences.of(store, org.id);
    const { readOnly, daysLeft, state, message } = licenceStanding(claims, now);
    const about = { check: 'licence', subject: org.name, message: message ?? `${claims.edition}, ${state}` };
    const advice = 'install a licence: tagkeep licence install FILE';
    if (readOnly) return { ...about, level: 'fault', advice };
    return daysLeft < LICENCE_SOON_DAYS ? { ...about, level: 'warning', advice } : { ...about, level: 'ok' };
  });
}
