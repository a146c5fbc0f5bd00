import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { withSight } from '../app/doctor-sight.ts';
import { makeSupportBundle } from '../app/support-bundle.ts';
import { CliError, type CommonOptions, configOf } from './context.ts';
import { print } from './output.ts';

/**
 * `tagkeep support-bundle FILE`: writes a `.tar.gz` (mode 0600) for somebody who helps from outside, beside a running
 * appliance and without one. Nothing in it is a secret. A file that is there is not replaced.
 */
export async function supportBundle(file: string, options: CommonOptions): Promise<void> {
  const { bytes, names } = await withSight({ config: configOf(options), now: Date.now() }, makeSupportBundle);
  writeNew(file, bytes);
  print({ file, bytes: bytes.length, files: names }, options, [
    `wrote ${file} (${Math.ceil(bytes.length / 1024)} kB): ${names.join(', ')}`,
  ]);
}

function writeNew(file: string, bytes: Uint8Array): void {
  let isOurs = false;
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    isOurs = true;
    // The umask may have taken more than it should.
    chmodSync(file, 0o600);
    writeFileSync(file, bytes);
  } catch (error) {
    // Half a bundle helps nobody.
    if (isOurs) rmSync(file, { force: true });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new CliError(`${file} is there already; name another file`);
    throw new CliError(`${file} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
