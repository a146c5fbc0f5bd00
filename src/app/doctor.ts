import { formatInstant } from '../lib/instant.ts';
import { redactMembers } from '../log/redact.ts';
import { checkAppliance } from './doctor-appliance.ts';
import { checkBackups } from './doctor-backups.ts';
import { checkOwnCertificates, checkReaderCertificates } from './doctor-certificates.ts';
import { checkFigures } from './doctor-figures.ts';
import { bounded, type Finding, type FindingLevel } from './doctor-finding.ts';
import { checkClock, checkDisk, checkModes } from './doctor-host.ts';
import { checkPayloads, checkReaders } from './doctor-readers.ts';
import { reasonOf, type Sight } from './doctor-sight.ts';
import { checkLicences, checkStore } from './doctor-store.ts';
import { checkWebhooks } from './doctor-webhooks.ts';
import { version } from './version.ts';

/** A disk or network folder that hangs must not hang the doctor. */
const CHECK_MS = 5000;

/** What the doctor found. */
export interface DoctorReport {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly version: string;
  /** How many findings there are of each level. */
  readonly counts: Readonly<Record<FindingLevel, number>>;
  /** In the order of the checks; of one check and level 50, then their number. */
  readonly findings: readonly Finding[];
}

export interface DoctorOptions {
  /** Whether the beginnings of bad payloads are shown: to people at the appliance, never to others. */
  readonly showPayloads: boolean;
}

type Check = readonly [name: string, run: (sight: Sight) => Promise<readonly Finding[]> | readonly Finding[]];

/** Looks at everything. A check that fails, or takes over five seconds, is a finding itself. Secrets are redacted. */
export async function examine(sight: Sight, { showPayloads }: DoctorOptions): Promise<DoctorReport> {
  const checks: readonly Check[] = [
    ['appliance', checkAppliance],
    ['clock', checkClock],
    ['disk', checkDisk],
    ['modes', checkModes],
    ['store', checkStore],
    ['backup', checkBackups],
    ['licence', checkLicences],
    ['certificate', checkOwnCertificates],
    ['certificate', checkReaderCertificates],
    ['figures', checkFigures],
    ['webhook', checkWebhooks],
    ['reader', checkReaders],
    ['payload', (seen) => checkPayloads(seen, showPayloads)],
  ];
  const all = (await Promise.all(checks.map((check) => attempt(check, sight)))).flat();
  const findings = bounded(all).map(redacted);
  return { at: formatInstant(Math.max(0, sight.now)), version, counts: countsOf(all), findings };
}

async function attempt([check, run]: Check, sight: Sight): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS / 1000} s`)), CHECK_MS);
  });
  try {
    return await Promise.race([Promise.resolve(sight).then(run), tooLate]);
  } catch (error) {
    return [{ check, level: 'fault', message: `could not be checked: ${reasonOf(error)}` }];
  } finally {
    clearTimeout(timer);
  }
}

/** Words of readers and people are in the messages: an API key or private key among them is not shown. */
function redacted(finding: Finding): Finding {
  // None of a finding's members is named like a secret, so only texts change.
  return redactMembers(finding) as unknown as Finding;
}

function countsOf(findings: readonly Finding[]): DoctorReport['counts'] {
  const counts = { ok: 0, note: 0, warning: 0, fault: 0 };
  for (const { level } of findings) counts[level]++;
  return counts;
}
