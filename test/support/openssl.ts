import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the `openssl` command and answers what it printed; a failure carries its error text. */
export async function openssl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('openssl', [...args], { timeout: 20_000 });
  return stdout;
}

/** A key of the given kind in PEM at `path`. */
export async function makeKey(path: string, kind: 'ec' | 'rsa:1024' | 'rsa:2048'): Promise<void> {
  const [algorithm = '', bits = ''] = kind.split(':');
  const option = kind === 'ec' ? 'ec_paramgen_curve:P-256' : `rsa_keygen_bits:${bits}`;
  await openssl('genpkey', '-algorithm', algorithm.toUpperCase(), '-pkeyopt', option, '-out', path);
}

/** A certificate that signs itself: `ca` or not, valid for 30 days from now. */
export async function makeSelfSigned(o: {
  key: string;
  out: string;
  name: string;
  ca: boolean;
}): Promise<void> {
  const constraint = `basicConstraints=critical,CA:${o.ca ? 'TRUE' : 'FALSE'}`;
  const args = ['-key', o.key, '-out', o.out, '-days', '30', '-subj', `/CN=${o.name}`, '-addext', constraint];
  await openssl('req', '-x509', '-new', ...args);
}

/** A certificate for `key` signed with any certificate and key at all, whether or not that one may sign. */
export async function signWith(o: {
  dir: string;
  key: string;
  out: string;
  name: string;
  issuerCert: string;
  issuerKey: string;
  extensions: string;
  /** `0x` and hex digits; 4242 by default. */
  serialNumber?: string;
  digest?: 'sha256' | 'sha1';
}): Promise<void> {
  const request = join(o.dir, 'request.pem');
  const extensions = join(o.dir, 'extensions.cnf');
  await openssl('req', '-new', '-key', o.key, '-subj', `/CN=${o.name}`, '-out', request);
  await writeFile(extensions, o.extensions);
  const issuer = ['-CA', o.issuerCert, '-CAkey', o.issuerKey, '-set_serial', o.serialNumber ?? '4242'];
  const content = ['-days', '30', `-${o.digest ?? 'sha256'}`, '-extfile', extensions];
  await openssl('x509', '-req', '-in', request, ...issuer, ...content, '-out', o.out);
}
