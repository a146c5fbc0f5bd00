import { Readable } from 'node:stream';
import {
  type ImportReport,
  importFormSchema,
  importQuerySchema,
  importReportExample,
  importReportSchema,
} from '../../contract/import.ts';
import { ClientGone } from '../../http/body.ts';
import { type Call, type Caller, type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { Directory } from '../../store/directory.ts';
import { fieldsOf } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';
import { tagNoOf } from '../../store/tag-registry.ts';
import { Application, type Progress, targetsOf } from './apply.ts';
import { ImportNote } from './import-note.ts';
import { ImportQueue } from './import-queue.ts';
import { jsonInPieces } from './json-pieces.ts';
import { type ImportFile, openImportFile, type Survey, surveyFile } from './survey.ts';
import { uploadMaxBytes, withUpload } from './upload.ts';

export interface ImportOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly ledger: TagLedger;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  /** Where uploads are kept while they are worked on; made when it is not there. On the data disk. */
  readonly tmpDir: string;
}

/** POST /tags/import, and how to end what runs when the service stops. */
export interface Imports {
  readonly routes: readonly Route[];
  /** Refuses further imports; the running one ends after its running transaction. Resolves when none is left. */
  close(): Promise<void>;
}

const description = [
  'The form field `file` is CSV with a header row: `epc` and one column per field, matched by key, then by label; what',
  'matches none makes a field. Separators: `,` `;` or tab; UTF-8, or UTF-16 with a byte order mark. Blank cells leave',
  'a value as it is. Rows in `errors` are skipped, all others are applied, each whole. A file that cannot be read as a',
  'whole is a 400 and changes nothing. An import that is cut off has applied the rows it came to: doing it again is safe.',
].join(' ');

/** Puts the import together. */
export function createImports(options: ImportOptions): Imports {
  const queue = new ImportQueue();
  return { routes: [importRoute(options, queue)], close: () => queue.close() };
}

function importRoute(options: ImportOptions, queue: ImportQueue): Route {
  return route({
    method: 'POST',
    path: '/tags/import',
    operationId: 'importTags',
    summary: 'Import tags and their data from a CSV file',
    description,
    tag: 'Tags and tag data',
    access: 'caller',
    query: importQuerySchema,
    consumes: 'multipart/form-data',
    bodyMaxBytes: uploadMaxBytes,
    body: importFormSchema,
    bodyExample: { file: 'epc,name,weight\n3034257BF468D480000003E8,Pallet 17,412.5\n' },
    refusals: ['import-unreadable', 'too-many-requests', 'unavailable', 'disk-full'],
    responses: {
      200: { description: 'What was done', schema: importReportSchema, example: importReportExample },
    },
    handle: ({ caller, query: { dryRun = false }, raw }) =>
      queue.enter(() =>
        withUpload(raw.req, options.tmpDir, async (path) => {
          const report = await queue.inTurn(() => importFile(options, { path, caller, dryRun, raw, queue }));
          return { status: 200, body: bodyOf(report) };
        }),
      ),
  });
}

interface Job {
  readonly path: string;
  readonly caller: Caller;
  readonly dryRun: boolean;
  readonly raw: Call<unknown, unknown, unknown>['raw'];
  readonly queue: ImportQueue;
}

async function importFile(options: ImportOptions, job: Job): Promise<ImportReport> {
  const { store, directory } = options;
  const { path, caller, dryRun, raw } = job;
  // Nobody would see the report; whoever sends the file again is not to find half of it done.
  if (raw.req.socket.destroyed) throw new ClientGone();
  const orgNo = directory.org(caller.orgId)?.no ?? 0;
  const file = await openImportFile(path, fieldsOf(store, caller.orgId));
  const survey = await surveyFile(file, (epc) => dryRun && tagNoOf(store, orgNo, epc) !== undefined);
  const { imported, updated } = dryRun ? foreseen(survey) : await apply(options, job, { file, survey });
  const { total, errors } = survey;
  const fields = file.header.columns.map(({ key }) => key);
  return { total, imported, updated, fields, errors: [...errors], dryRun };
}

function foreseen({ total, errors, known }: Survey): Progress {
  return { imported: total - errors.length - known, updated: known };
}

async function apply(
  options: ImportOptions,
  { caller, queue }: Job,
  { file, survey }: { readonly file: ImportFile; readonly survey: Survey },
): Promise<Progress> {
  const { store, directory, now, newId } = options;
  const { orgId } = caller;
  const at = now();
  const fields = file.header.columns.map(({ key }) => key);
  const note = new ImportNote(orgId, at, { total: survey.total, errors: survey.errors.length, fields });
  const targets = await auditedWrite(store, { author: caller, now: at }, (tx, append) => {
    note.begin(tx, append);
    return targetsOf(tx, file.header, { orgId, newId, firstValues: survey.firstValues });
  });
  const application = new Application(
    {
      ...options,
      orgId,
      orgNo: directory.org(orgId)?.no ?? 0,
      note: (tx, progress) => note.update(tx, progress),
      stopping: () => queue.stopping,
    },
    targets,
  );
  return application.run(file);
}

/** Errors from which on a report goes out in pieces: making it one text would hold the event loop. */
const ERRORS_AT_ONCE = 1000;

function bodyOf(report: ImportReport): ImportReport | Readable {
  if (report.errors.length <= ERRORS_AT_ONCE) return report;
  const { errors, ...rest } = report;
  return Readable.from(jsonInPieces(rest, { errors }, ERRORS_AT_ONCE));
}
