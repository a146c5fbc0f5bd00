import { provision } from '../app/provision.ts';
import { provisionAndPush } from '../app/provision-and-push.ts';
import { factoryCredentials } from '../domain/device.ts';
import { limits } from '../domain/limits.ts';
import { openAuthority } from '../pki/authority.ts';
import { certificatesBySerial } from '../store/certificates.ts';
import { tables } from '../store/tables.ts';
import { CliUsageError, type CommonOptions, withStore } from './context.ts';
import { listedReader, readerHeader, readerRow, shownCertificate } from './device-view.ts';
import { checkSerial, type IdentityOptions, keyTypeOf, passwordFrom } from './identity-options.ts';
import { print, tableLines } from './output.ts';
import { type BenchOptions, pushLines, pushTargetOf, warn } from './push.ts';

export interface ProvisionOptions extends CommonOptions, IdentityOptions, BenchOptions {
  readonly model?: string;
  readonly firmware?: string;
}

/** `tagkeep reader provision SERIAL --out DIR`: certificate, identity files, claim code. */
export async function provisionReader(serial: string, options: ProvisionOptions): Promise<void> {
  checkSerial(serial);
  const keyType = keyTypeOf(options);
  const { out: dir, model, firmware, readerUser = factoryCredentials.user } = options;
  checkLength('--model', model);
  checkLength('--firmware', firmware);
  const readerPassword = (await passwordFrom(options)) ?? factoryCredentials.password;
  const target = pushTargetOf(options, { user: readerUser, password: readerPassword });
  await withStore(options, async ({ config, store, org }) => {
    const now = Date.now();
    const { passphraseFile } = config.pki;
    const authority = await openAuthority({ certsDir: config.certsDir, passphraseFile, now });
    const identity = { serial, keyType, dir, readerUser, readerPassword };
    const request = { ...identity, model, firmware, orgId: org.id, now };
    const parts = { store, authority };
    const { failure, warnings, ...made } = target
      ? await provisionAndPush(parts, request, target)
      : { ...(await provision(parts, request)), failure: null, warnings: [], push: null };
    warn({ warnings });
    const certificate = shownCertificate(made.certificate);
    const { push, ...device } = made;
    print({ ...device, certificate, ...(push && { push }) }, options, [
      `provisioned ${serial}, certificate valid until ${certificate.notAfter}`,
      ...made.files.map((file) => `  ${file}`),
      made.claimCode ? `claim code: ${made.claimCode}` : 'already claimed: no claim code',
      ...pushLines({ push }),
    ]);
    if (failure) throw failure;
  });
}

/** `tagkeep reader list`: every device, its state, and how its certificate stands. */
export async function listReaders(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const certificates = certificatesBySerial(store);
    const now = Date.now();
    const devices = Array.from(store.range(tables.devices), ({ value }) => value).filter(
      ({ orgId }) => orgId === null || orgId === org.id,
    );
    const records = devices.map((device) =>
      listedReader(store, { device, certificates: certificates.get(device.serial) ?? [], now }),
    );
    print(records, options, tableLines(readerHeader, records.map(readerRow)));
  });
}

function checkLength(option: string, value = ''): void {
  if (value.length <= limits.nameMaxLength) return;
  throw new CliUsageError(
    `${option} has ${value.length} characters; up to ${limits.nameMaxLength} are allowed`,
  );
}
