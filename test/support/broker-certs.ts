import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A throw-away authority: ECDSA, made with the openssl command, independent of the service's own. */
export interface BrokerPki {
  readonly dir: string;
  readonly ca: Identity;
  readonly server: Identity;
  /** A client certificate; `name` becomes the common name. */
  client(name: string): Identity;
  remove(): void;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export function makeBrokerPki(): BrokerPki {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-broker-pki-'));
  const ca = selfSigned(dir);
  let count = 0;
  const issue = (subject: string, usage: string, extra: string[] = []): Identity => {
    const files = filesOf(dir, `leaf${++count}`);
    const signer = ['-CA', ca.certFile, '-CAkey', ca.keyFile, '-days', '5'];
    const extensions = [
      '-addext',
      `extendedKeyUsage=${usage}`,
      '-addext',
      'basicConstraints=critical,CA:false',
      ...extra,
    ];
    openssl(
      'req',
      '-x509',
      ...EC,
      ...signer,
      '-multivalue-rdn',
      '-subj',
      subject,
      ...extensions,
      ...outputs(files),
    );
    return read(files);
  };
  return {
    dir,
    ca,
    server: issue('/CN=localhost', 'serverAuth', ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']),
    client: (name) => issue(`/CN=${name}`, 'clientAuth'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

type Files = Pick<Identity, 'certFile' | 'keyFile'>;

function selfSigned(dir: string): Identity {
  const files = filesOf(dir, 'ca');
  openssl('req', '-x509', ...EC, '-days', '5', '-subj', '/CN=Test CA', ...outputs(files));
  return read(files);
}

function filesOf(dir: string, name: string): Files {
  return { certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) };
}

function outputs({ certFile, keyFile }: Files): string[] {
  return ['-out', certFile, '-keyout', keyFile];
}

function read(files: Files): Identity {
  return { ...files, cert: readFileSync(files.certFile, 'utf8'), key: readFileSync(files.keyFile, 'utf8') };
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 20_000 });
}
