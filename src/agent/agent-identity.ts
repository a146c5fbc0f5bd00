import type { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ExaminedIdentity, examineIdentity, type LoadedIdentity } from '../device/identity.ts';
import { readSmallText } from '../device/small-file.ts';

/** Credentials of the reader's local REST interface. */
export interface ServiceLogin {
  readonly user: string;
  readonly password: string;
}

/** What the four identity files hold, and what does not stop the agent but should be known, a line each. */
export interface AgentIdentity {
  readonly identity: LoadedIdentity;
  readonly login: ServiceLogin;
  readonly warnings: readonly string[];
}

/** The identity cannot be used. `lines` has one line for each thing that is wrong, naming the file. */
export class IdentityError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('; '));
    this.name = 'IdentityError';
    this.lines = lines;
  }
}

const SECRET_FILES = ['client.key', 'svc.json'] as const;
const OTHERS = 0o077;
const LOGIN_MAX_LENGTH = 200;
const SOON_MS = 30 * 86_400_000;

/**
 * Reads ca.crt, client.crt, client.key and svc.json from `dir` (interface: "Reader identity files"). Throws an
 * `IdentityError` that tells all that is wrong at once: files missing or no such thing, a key of another certificate, a
 * certificate of another authority, secrets that other users can read. `now` in epoch ms: an ended certificate is a warning,
 * for it may be the clock that is wrong.
 */
export function loadAgentIdentity(dir: string, now: number): AgentIdentity {
  const examined = examineIdentity(dir);
  const problems = [...examined.problems, ...issuerProblems(dir, examined), ...modeProblems(dir)];
  const login = loginOf(join(dir, 'svc.json'));
  if (typeof login === 'string') problems.push(login);
  const { identity, certificate } = examined;
  if (problems.length > 0 || !identity || !certificate || typeof login === 'string') {
    throw new IdentityError(problems);
  }
  return { identity, login, warnings: validityWarnings(join(dir, 'client.crt'), certificate, now) };
}

function issuerProblems(dir: string, { certificate, authorities }: ExaminedIdentity): readonly string[] {
  if (!certificate || authorities.length === 0) return [];
  if (authorities.some((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey))) return [];
  return [`${join(dir, 'client.crt')}: was not issued by the authority in ca.crt`];
}

function modeProblems(dir: string): readonly string[] {
  return SECRET_FILES.flatMap((name) => {
    const file = join(dir, name);
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & OTHERS) === 0) return [];
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    return [`${file}: other users can get at it (mode ${shown}); run: chmod 600 ${file}`];
  });
}

/** The login of svc.json, or the line that says why there is none. */
function loginOf(file: string): ServiceLogin | string {
  let value: unknown;
  try {
    value = JSON.parse(readSmallText(file));
  } catch (error) {
    // What JSON.parse quotes may be the password.
    if (error instanceof SyntaxError) return `${file}: is not JSON`;
    return error instanceof Error ? error.message : `${file}: cannot be read`;
  }
  return checkLogin(value) ?? `${file}: must be {"user": "…", "password": "…"}, each up to 200 characters`;
}

function checkLogin(value: unknown): ServiceLogin | null {
  if (typeof value !== 'object' || value === null) return null;
  const user = 'user' in value ? value.user : undefined;
  const password = 'password' in value ? value.password : undefined;
  if (typeof user !== 'string' || typeof password !== 'string') return null;
  // HTTP Basic splits at the first colon.
  if (user === '' || user.includes(':')) return null;
  return Math.max(user.length, password.length) > LOGIN_MAX_LENGTH ? null : { user, password };
}

function validityWarnings(file: string, certificate: X509Certificate, now: number): readonly string[] {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  if (now < from) return [`${file}: is valid from ${day(from)} on only; is this reader's clock right?`];
  if (now > to) return [`${file}: has expired on ${day(to)}; ask for a new identity (reader reissue)`];
  if (now > to - SOON_MS) return [`${file}: expires on ${day(to)}; ask for a new identity (reader reissue)`];
  return [];
}
