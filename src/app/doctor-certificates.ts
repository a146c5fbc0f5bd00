import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/options.ts';
import { isInService } from '../domain/device.ts';
import { formatInstant } from '../lib/instant.ts';
import { certFiles } from '../pki/ca-files.ts';
import {
  CERTIFICATE_SOON_MS,
  certificatesBySerial,
  currentCertificate,
  daysLeft,
  type ListedCertificate,
  WEB_CERTIFICATE_SOON_MS,
} from '../store/certificates.ts';
import { tables } from '../store/tables.ts';
import { checkAuthority } from './backup-authority.ts';
import { counted, type Finding } from './doctor-finding.ts';
import { reasonOf, type Sight } from './doctor-sight.ts';

interface OwnCertificate {
  readonly subject: string;
  readonly file: string;
  readonly advice: string;
  /** How long before its end it is worth a word, in milliseconds. */
  readonly soonMs: number;
}

/** The authority's certificate, the appliance's own and the site's. */
export async function checkOwnCertificates({
  config,
  now,
}: Pick<Sight, 'config' | 'now'>): Promise<readonly Finding[]> {
  const inFolder = (name: string): string => join(config.certsDir, name);
  const authority =
    'every reader needs a new identity before then: plan it, or restore the folder from a backup';
  const renewed =
    'while it runs the appliance renews it by itself in the last 60 days; its log says why when it can not';
  const own: OwnCertificate[] = [
    {
      subject: 'authority',
      file: inFolder(certFiles.caCert),
      advice: authority,
      soonMs: CERTIFICATE_SOON_MS,
    },
    { subject: 'server', file: inFolder(certFiles.serverCert), advice: renewed, soonMs: CERTIFICATE_SOON_MS },
  ];
  const { certFile } = config.https;
  if (certFile !== null)
    own.push({
      subject: 'https.certFile',
      file: certFile,
      advice: 'put a new certificate and its key there; HTTPS takes them by itself',
      soonMs: WEB_CERTIFICATE_SOON_MS,
    });
  return [...(await Promise.all(own.map((one) => checkFile(one, now)))), await checkKey(config)];
}

/** Without it no reader gets a certificate any more, and nothing but a reader to come would tell. */
async function checkKey({ certsDir, pki }: Config): Promise<Finding> {
  const about = { check: 'certificate.own', subject: certFiles.caKey };
  try {
    const [warning] = await checkAuthority(certsDir, pki.passphraseFile);
    return warning === undefined
      ? { ...about, level: 'ok', message: `belongs to ${certFiles.caCert}` }
      : { ...about, level: 'warning', message: warning };
  } catch (error) {
    const advice =
      'take the folder of certificates from a backup: without its key no reader can be provisioned';
    return { ...about, level: 'fault', message: reasonOf(error), advice };
  }
}

async function checkFile({ subject, file, advice, soonMs }: OwnCertificate, now: number): Promise<Finding> {
  const about = { check: 'certificate.own', subject };
  try {
    const { validFrom, validTo } = new X509Certificate(await readFile(file));
    const [from, end] = [Date.parse(validFrom), Date.parse(validTo)];
    const message = `valid until ${formatInstant(end)} (${counted(daysLeft(end, now), 'day')} left)`;
    if (now < from) return notYet(about, from);
    // A clock far ahead ends everything at once; what is advised then would do harm.
    if (end <= now)
      return {
        ...about,
        level: 'fault',
        message: `ended at ${formatInstant(end)}`,
        advice: `if the clock is right: ${advice}`,
      };
    return end - now <= soonMs
      ? { ...about, level: 'warning', message, advice }
      : { ...about, level: 'ok', message };
  } catch (error) {
    return { ...about, level: 'fault', message: `${file} can't be used: ${reasonOf(error)}` };
  }
}

function notYet(about: Pick<Finding, 'check' | 'subject'>, from: number): Finding {
  const message = `valid from ${formatInstant(from)} on, which is yet to come`;
  return { ...about, level: 'fault', message, advice: 'look at the clock of this machine' };
}

/** The certificate that counts for each claimed reader in service. */
export function checkReaderCertificates({ store, now }: Sight): readonly Finding[] {
  if (!store) return [];
  const bySerial = certificatesBySerial(store);
  const found: Finding[] = [];
  let good = 0;
  for (const { value: device } of store.range(tables.devices)) {
    if (!isInService(device)) continue;
    const finding = checkReader(device.serial, currentCertificate(bySerial.get(device.serial) ?? []), now);
    if (finding) found.push(finding);
    else good++;
  }
  if (good === 0) return found;
  const message = `${counted(good, 'reader')} in service with a certificate for more than 90 days`;
  return [{ check: 'certificate.reader', level: 'ok', message }, ...found];
}

function checkReader(serial: string, current: ListedCertificate | undefined, now: number): Finding | null {
  const about = { check: 'certificate.reader', subject: serial };
  const advice = `run: tagkeep reader reissue ${serial}`;
  if (!current)
    return { ...about, level: 'fault', message: 'has no certificate that is not revoked', advice };
  const { notAfter } = current;
  if (notAfter <= now)
    return { ...about, level: 'fault', message: `ended at ${formatInstant(notAfter)}`, advice };
  if (notAfter - now > CERTIFICATE_SOON_MS) return null;
  const message = `ends at ${formatInstant(notAfter)} (${counted(daysLeft(notAfter, now), 'day')} left)`;
  return { ...about, level: 'warning', message, advice };
}
