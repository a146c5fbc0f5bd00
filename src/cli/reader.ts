import { text } from 'node:stream/consumers';
import { provision } from '../app/provision.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant } from '../lib/instant.ts';
import { isCommonName, openAuthority } from '../pki/authority.ts';
import type { CertificateRecord, DeviceRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { CliUsageError, type CommonOptions, withStore } from './context.ts';
import { print, tableLines, when } from './output.ts';

export interface ProvisionOptions extends CommonOptions {
  readonly out: string;
  readonly model?: string;
  readonly firmware?: string;
  readonly keyType: string;
  readonly readerUser: string;
  readonly readerPasswordStdin?: boolean;
}

/** The password readers leave the factory with. */
const FACTORY_PASSWORD = 'impinj';

/** `tagkeep reader provision SERIAL --out DIR`: certificate, identity files, claim code. */
export async function provisionReader(serial: string, options: ProvisionOptions): Promise<void> {
  if (!isCommonName(serial)) {
    throw new CliUsageError(
      `"${serial}" is no serial: 1 to 64 letters, digits, dots, dashes and underscores are allowed`,
    );
  }
  const { keyType, out: dir, model, firmware, readerUser } = options;
  if (keyType !== 'rsa' && keyType !== 'ecdsa')
    throw new CliUsageError(`--key-type is "${keyType}"; it is rsa or ecdsa`);
  checkLength('--model', model);
  checkLength('--firmware', firmware);
  const readerPassword = options.readerPasswordStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : FACTORY_PASSWORD;
  await withStore(options, async ({ config, store, org }) => {
    const now = Date.now();
    const authority = await openAuthority({ certsDir: config.certsDir, now });
    const request = {
      serial,
      model,
      firmware,
      keyType,
      dir,
      readerUser,
      readerPassword,
      orgId: org.id,
      now,
    } as const;
    const made = await provision({ store, authority }, request);
    const { serialNumber, notBefore, notAfter } = made.certificate;
    const certificate = {
      serialNumber,
      notBefore: formatInstant(notBefore),
      notAfter: formatInstant(notAfter),
    };
    print({ ...made, certificate }, options, [
      `provisioned ${serial}, certificate valid until ${certificate.notAfter}`,
      ...made.files.map((file) => `  ${file}`),
      made.claimCode ? `claim code: ${made.claimCode}` : 'already claimed: no claim code',
    ]);
  });
}

/** `tagkeep reader list`: every device, its state and its certificates' end. */
export async function listReaders(options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const certificates = Array.from(store.range(tables.certificates), ({ value }) => value);
    const devices = Array.from(store.range(tables.devices), ({ value }) => value).filter(
      ({ orgId }) => orgId === null || orgId === org.id,
    );
    const records = devices.map((device) => listed(store, device, certificates));
    const rows = records.map((one) => [
      one.serial,
      one.name ?? '-',
      one.model,
      one.firmware,
      one.state,
      one.lastSeenAt ?? '-',
      one.certificateNotAfter ?? '-',
    ]);
    const header = ['SERIAL', 'NAME', 'MODEL', 'FIRMWARE', 'STATE', 'LAST SEEN', 'CERTIFICATE UNTIL'];
    print(records, options, tableLines(header, rows));
  });
}

function listed(store: Store, device: DeviceRecord, certificates: readonly CertificateRecord[]) {
  const { serial, model, firmware, orgId, readerId, claimedAt } = device;
  const reader = orgId && readerId ? store.get(tables.readers, [orgId, readerId]) : undefined;
  const valid = certificates.filter((one) => one.serial === serial && one.revokedAt === null);
  const lastSeenAt = store.get(tables.deviceActivity, serial)?.lastSeenAt ?? null;
  const iso = (at: number | null): string | null => (at === null ? null : when(at));
  return {
    serial,
    name: reader?.name ?? null,
    model,
    firmware,
    state: stateOf(device),
    readerId,
    claimedAt: iso(claimedAt),
    lastSeenAt: iso(lastSeenAt),
    certificateNotAfter: iso(valid.length === 0 ? null : Math.max(...valid.map(({ notAfter }) => notAfter))),
  };
}

function stateOf({ state, dataRevoked, connectRevoked }: DeviceRecord): string {
  if (connectRevoked) return 'revoked on the broker';
  return dataRevoked ? 'revoked' : state;
}

function checkLength(option: string, value = ''): void {
  if (value.length <= limits.nameMaxLength) return;
  throw new CliUsageError(
    `${option} has ${value.length} characters; up to ${limits.nameMaxLength} are allowed`,
  );
}
