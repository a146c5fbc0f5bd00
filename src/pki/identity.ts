import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { certFiles } from './ca-files.ts';
import { PkiError } from './pki-error.ts';
import {
  commitStaged,
  dropStaged,
  fileModes,
  makePrivateFolder,
  readSmallFile,
  type StagedFile,
  stageFile,
  sweepLeftovers,
} from './private-file.ts';

const CREDENTIAL_MAX_LENGTH = 255;

/** The four files of a reader's identity (interface "Authentication" 7), in the order of its table. */
export const identityFiles = {
  caCert: 'ca.crt',
  clientCert: 'client.crt',
  clientKey: 'client.key',
  service: 'svc.json',
} as const;

/** What goes into the four files. `user` and `password` open the reader's local REST interface. */
export interface IdentityRequest {
  readonly dir: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
  readonly user: string;
  readonly password: string;
  /** Replace the identity of another reader in this folder. The same reader's is always replaced. */
  readonly overwrite?: boolean;
}

/** Identity files that are on disk under temporary names: `commit` puts them in place, `drop` takes them away. */
export interface StagedIdentity {
  readonly paths: readonly string[];
  commit(): Promise<void>;
  drop(): Promise<void>;
}

/** Writes the four identity files at once and answers their paths; see `stageIdentity`. */
export async function writeIdentity(request: IdentityRequest): Promise<readonly string[]> {
  const staged = await stageIdentity(request);
  try {
    await staged.commit();
  } finally {
    await staged.drop();
  }
  return staged.paths;
}

/**
 * Prepares the four identity files; keys and credentials have mode 0600 whatever the umask. All are on disk before the
 * first takes its place, so a full disk changes nothing.
 * Refused with a `PkiError`: parts that do not belong together, a folder that holds another reader's identity
 * (unless `overwrite`), and the appliance's own certificates folder (always).
 */
export async function stageIdentity(request: IdentityRequest): Promise<StagedIdentity> {
  const subject = checkParts(request);
  const files = contents(request);
  await makePrivateFolder(request.dir);
  await refuseForeign(request, subject);
  await sweepLeftovers(request.dir, Object.values(identityFiles));
  const staged = await stageAll(files);
  return {
    paths: files.map((file) => file.path),
    commit: async () => {
      for (const file of staged) await commitStaged(file);
    },
    drop: async () => void (await Promise.all(staged.map(dropStaged))),
  };
}

interface IdentityFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

/** The name of one of the four files. */
export type IdentityFileName = (typeof identityFiles)[keyof typeof identityFiles];

/** What stands in the four files, by their names: for whoever takes them to the reader by other means than a folder. */
export function identityTexts(
  request: Omit<IdentityRequest, 'dir' | 'overwrite'>,
): Record<IdentityFileName, string> {
  const { caPem, certPem, keyPem, user, password } = request;
  return {
    [identityFiles.caCert]: caPem,
    [identityFiles.clientCert]: certPem,
    [identityFiles.clientKey]: keyPem,
    [identityFiles.service]: `${JSON.stringify({ user, password })}\n`,
  };
}

const openFiles: ReadonlySet<string> = new Set([identityFiles.caCert, identityFiles.clientCert]);

function contents(request: IdentityRequest): IdentityFile[] {
  return Object.entries(identityTexts(request)).map(([name, content]) => {
    const mode = openFiles.has(name) ? fileModes.open : fileModes.secret;
    return { path: join(request.dir, name), content, mode };
  });
}

async function stageAll(files: readonly IdentityFile[]): Promise<StagedFile[]> {
  const staged: StagedFile[] = [];
  try {
    for (const file of files) staged.push(await stageFile(file.path, file.content, file.mode));
    return staged;
  } catch (error) {
    await Promise.all(staged.map(dropStaged));
    throw error;
  }
}

/** The subject of the certificate, once certificate, key and authority are known to belong together. */
function checkParts(request: IdentityRequest): string {
  for (const field of ['user', 'password'] as const) {
    const { length } = request[field];
    if (length > CREDENTIAL_MAX_LENGTH)
      throw new PkiError(`the reader's ${field} is over ${CREDENTIAL_MAX_LENGTH} characters`);
  }
  const certificate = parsed('certificate', () => new X509Certificate(request.certPem));
  const authority = parsed('authority certificate', () => new X509Certificate(request.caPem));
  const key = parsed('private key', () => createPrivateKey(request.keyPem));
  if (!certificate.checkPrivateKey(key))
    throw new PkiError("the reader's certificate and private key do not belong together");
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
    throw new PkiError("the reader's certificate was not issued by the given authority");
  }
  return certificate.subject;
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new PkiError(`the reader's ${what} is not valid PEM`);
  }
}

async function refuseForeign(request: IdentityRequest, subject: string): Promise<void> {
  const { dir } = request;
  if ((await readSmallFile(join(dir, certFiles.caKey))) !== null) {
    throw new PkiError(
      `${dir}: holds the appliance's own ${certFiles.caKey}; choose a folder of its own for the reader`,
    );
  }
  // All four: what cannot be read, a folder say, could not be replaced either, and is better known now.
  const names = [
    identityFiles.clientCert,
    identityFiles.clientKey,
    identityFiles.caCert,
    identityFiles.service,
  ];
  const [certPem, keyPem] = await Promise.all(names.map((name) => readSmallFile(join(dir, name))));
  if (request.overwrite || (certPem === null && keyPem === null)) return;
  if (typeof certPem === 'string' && subjectOf(certPem) === subject) return;
  throw new PkiError(
    `${dir}: holds another reader's identity; choose another folder, or move that identity away`,
  );
}

function subjectOf(certPem: string): string | null {
  try {
    return new X509Certificate(certPem).subject;
  } catch {
    return null;
  }
}
