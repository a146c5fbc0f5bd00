import { type Reissued, reissue } from '../app/reissue.ts';
import { factoryCredentials } from '../domain/device.ts';
import { openAuthority } from '../pki/authority.ts';
import { credentialsIn } from '../pki/credentials.ts';
import { type CliContext, CliError, type CommonOptions, withStore } from './context.ts';
import { shownCertificate } from './device-view.ts';
import { checkSerial, type IdentityOptions, keyTypeOf, passwordFrom } from './identity-options.ts';
import { print } from './output.ts';
import { deviceOf } from './reader-state.ts';

export interface ReissueOptions extends CommonOptions, IdentityOptions {
  readonly revokeOld?: boolean;
}

/**
 * `tagkeep reader reissue SERIAL --out DIR [--revoke-old]`: another certificate and set of identity files for a registered
 * reader. No claim code, and nothing of its state changes. Credentials that DIR already holds are kept unless given.
 */
export async function reissueReader(serial: string, options: ReissueOptions): Promise<void> {
  checkSerial(serial);
  const keyType = keyTypeOf(options);
  const password = await passwordFrom(options);
  await withStore(options, async (context) => {
    refuseOutOfService(context, serial);
    const { config, store, org } = context;
    const now = Date.now();
    const { passphraseFile } = config.pki;
    const authority = await openAuthority({ certsDir: config.certsDir, passphraseFile, now });
    const known = (await credentialsIn(options.out)) ?? factoryCredentials;
    const credentials = {
      readerUser: options.readerUser ?? known.user,
      readerPassword: password ?? known.password,
    };
    const identity = { serial, keyType, dir: options.out, ...credentials };
    const revokeOld = options.revokeOld === true;
    const made = await reissue({ store, authority }, { ...identity, revokeOld, orgId: org.id, now });
    show(made, options);
  });
}

/** A certificate that opens nothing would only look like one that does. */
function refuseOutOfService({ store, org }: CliContext, serial: string): void {
  const { state, connectRevoked } = deviceOf(store, serial, org);
  if (state !== 'withdrawn' && !connectRevoked) return;
  const why = state === 'withdrawn' ? 'withdrawn' : 'revoked on the broker';
  throw new CliError(`${serial} is ${why}; "tagkeep reader provision" takes it back into service`);
}

function show(made: Reissued, options: ReissueOptions): void {
  const certificate = shownCertificate(made.certificate);
  const old = options.revokeOld
    ? made.revoked.map((serialNumber) => `  certificate ${serialNumber} is revoked`)
    : ['  older certificates stay valid; --revoke-old ends them'];
  print({ ...made, certificate }, options, [
    `reissued ${made.serial}, certificate valid until ${certificate.notAfter}`,
    ...made.files.map((file) => `  ${file}`),
    ...old,
  ]);
}
