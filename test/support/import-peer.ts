import { randomUUID } from 'node:crypto';
import { Application, targetsOf } from '../../src/features/import/apply.ts';
import { openImportFile, surveyFile } from '../../src/features/import/survey.ts';
import { fieldsOf } from '../../src/store/fields.ts';
import { openStore } from '../../src/store/store.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';

/** Imports a file into a store, for tests that kill it: `node import-peer.mjs DIR FILE`. Prints rows on their way to the disk. */
const [dir = '', path = ''] = process.argv.slice(2);
const store = openStore(dir);
const ledger = new TagLedger(store);
const orgId = 'org';
const newId = randomUUID;
const file = await openImportFile(path, fieldsOf(store, orgId));
const { firstValues } = await surveyFile(file, () => false);
const targets = await store.write((tx) => targetsOf(tx, file.header, { orgId, newId, firstValues }));
const application = new Application(
  {
    ...{ store, ledger, orgId, orgNo: 1, newId, now: Date.now, stopping: () => false },
    note: (_, { imported, updated }) => process.stdout.write(`${imported + updated}\n`),
  },
  targets,
);
const { imported, updated } = await application.run(file);
process.stdout.write(`done ${imported} ${updated}\n`);
await store.close();
