import { readFileSync, statSync } from 'node:fs';
import { type LicenceAnswer, licenceAnswer } from '../contract/licence.ts';
import { limits } from '../domain/limits.ts';
import { appendAudit } from '../store/audit.ts';
import { installLicence, Licences, readerCount, siteCount } from '../store/licences.ts';
import type { Reading } from '../store/store.ts';
import { CliError, type CommonOptions, withStore } from './context.ts';
import { print, tableLines } from './output.ts';

/** `tagkeep licence show`: what GET /license answers. */
export async function showLicence(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ config, store, org }) => {
    const answer = answerOf(store, org.id, new Licences(config.licence.publicKey));
    print(answer, options, linesOf(answer));
  });
}

/** `tagkeep licence install FILE`: takes a token the vendor sent; an appliance that runs goes by it at once. */
export async function installLicenceFile(file: string, options: CommonOptions): Promise<void> {
  const text = tokenIn(file);
  await withStore(options, async ({ config, store, org }) => {
    const licences = new Licences(config.licence.publicKey);
    const checked = licences.check(text);
    const now = Date.now();
    await store.write((tx) => {
      const note = installLicence(tx, org.id, { ...checked, now });
      appendAudit(tx, { orgId: org.id, at: now, ...note });
    });
    const answer = answerOf(store, org.id, licences);
    print(answer, options, ['installed', ...linesOf(answer)]);
  });
}

function tokenIn(file: string): string {
  try {
    // A token and blanks around it; anything much longer is another file.
    if (statSync(file).size <= 2 * limits.licenceTokenMaxLength) return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new CliError(
    `${file} holds no licence: a token has up to ${limits.licenceTokenMaxLength} characters`,
  );
}

function answerOf(reading: Reading, orgId: string, licences: Licences): LicenceAnswer {
  const usage = { readers: readerCount(reading, orgId), sites: siteCount(reading, orgId) };
  return licenceAnswer(licences.of(reading, orgId), usage, Date.now());
}

function linesOf({ license, usage }: LicenceAnswer): readonly string[] {
  const most = (max: number): string => (max === 0 ? 'no limit' : `of ${max}`);
  const rows = [
    ['customer', license.customer || '-'],
    ['edition', license.edition],
    ['state', license.readOnly ? `${license.state}, read-only` : license.state],
    ['ends', license.expiresAt ?? 'never'],
    ['features', license.features.join(', ') || '-'],
    ['readers', `${usage.readers} ${most(license.maxReaders)}`],
    ['sites', `${usage.sites} ${most(license.maxSites)}`],
  ];
  const message = license.message === undefined ? [] : [['', license.message]];
  return tableLines(['LICENCE', ''], [...rows, ...message]);
}
