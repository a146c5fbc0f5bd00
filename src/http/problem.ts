import type { FieldError, Refusal } from '../domain/refusal.ts';

/** What stands behind a problem type: its status, its short name, and what a client can do about it. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly help: string;
}

/** RFC 9457 problem details: the body of every error. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** The one place where refusals become statuses. The slug of a problem type is the refusal's kind. */
export const refusalKinds = {
  invalid: {
    status: 400,
    title: 'The request is not valid',
    help: 'A path, query or body value breaks a rule. `errors` names each value and its rule. Nothing was changed.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    help: 'Send an API key as `Authorization: Bearer <key>`. A revoked or expired key is answered like an unknown one.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    help: 'The caller is known but may not do this: administration needs an administrator who is logged in; API keys never reach it.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    help: 'There is no such address, or no record with this id in your organisation.',
  },
  'claim-code-invalid': {
    status: 404,
    title: 'The claim code is not valid',
    help: 'The code is mistyped, void, or was used already. Provisioning the reader again prints a new one.',
  },
  'device-withdrawn': {
    status: 409,
    title: 'The reader has been withdrawn',
    help: 'A withdrawn reader cannot be claimed. It has to be provisioned again.',
  },
  'device-taken': {
    status: 409,
    title: 'The reader belongs to another organisation',
    help: 'Another organisation on this appliance has claimed or provisioned this serial. It has to be released there first, or whoever runs the appliance provisions it with `tagkeep reader provision`.',
  },
  'name-taken': {
    status: 409,
    title: 'The name is in use',
    help: 'The command line tells organisations, and the sites of one, apart by their names. Choose another name.',
  },
  'import-unreadable': {
    status: 400,
    title: 'The import file cannot be read',
    help: 'The file has no `epc` column, repeats a column, has too many rows, or is no CSV text. Nothing was changed. `detail` says which.',
  },
  'field-exists': {
    status: 409,
    title: 'The field exists already',
    help: 'Another field has this name, or one whose key is the same. Choose another label.',
  },
  'tag-linked': {
    status: 409,
    title: 'The tag is linked to an asset already',
    help: 'A tag belongs to one asset at a time. Send `supersede: true` to end the link it has.',
  },
  'asset-number-taken': {
    status: 409,
    title: 'The asset number is in use',
    help: 'Another asset that is not retired has this `assetTagNumber`.',
  },
  'asset-not-available': {
    status: 409,
    title: 'The asset is not available',
    help: 'Only an asset that is available or missing can be checked out. Check it in first.',
  },
  'asset-not-checked-out': {
    status: 409,
    title: 'The asset is not checked out',
    help: 'Only an asset that is checked out can be checked in.',
  },
  'asset-retired': {
    status: 409,
    title: 'The asset is retired',
    help: 'A retired asset keeps its history and can no longer be changed, linked or retired.',
  },
  'alert-state': {
    status: 409,
    title: 'The alert cannot go to this state',
    help: 'An open alert can be acknowledged or resolved, an acknowledged one resolved. A resolved one stays so.',
  },
  'no-antenna-enabled': {
    status: 409,
    title: 'Every antenna port is off',
    help: 'A reader without a port to read with cannot be started. Switch one on with `PUT /readers/{id}/antennas`: that starts the radio too, unless the reader was stopped.',
  },
  'read-only': {
    status: 402,
    title: 'The licence allows reading only',
    help: 'The licence has expired, is suspended or closed: writes are refused, reads of tags are still taken. `GET /license` says why; install a new licence.',
  },
  'licence-limit': {
    status: 402,
    title: 'The licence does not allow more',
    help: 'As many readers or sites as the licence allows are in use. `GET /license` shows limits and usage.',
  },
  'licence-invalid': {
    status: 400,
    title: 'The licence is not valid',
    help: 'The token is damaged, incomplete, or not signed with the key in `licence.publicKey`. The licence in force stays.',
  },
  'login-failed': {
    status: 401,
    title: 'The login failed',
    help: 'E-mail address or password are wrong. After several failures the next tries have to wait.',
  },
  'email-taken': {
    status: 409,
    title: 'The e-mail address is in use',
    help: 'A user with this e-mail address exists already.',
  },
  'last-admin': {
    status: 409,
    title: 'The last administrator stays',
    help: 'An organisation keeps at least one administrator. Make another one first.',
  },
  'webhook-limit': {
    status: 409,
    title: 'No more webhooks',
    help: 'There are as many webhooks as there may be. Delete one, or give an existing one more event types.',
  },
  'backup-folder-missing': {
    status: 409,
    title: 'There is nowhere to write backups to',
    help: 'No folder is configured. Set `backup.dir` to a folder, best on another disk, and start the appliance again.',
  },
  'backup-running': {
    status: 409,
    title: 'A backup is being made already',
    help: 'One is made at a time. `GET /system/backups` says when it is through.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    help: 'The body is longer than this address takes. `detail` says how much that is. Send less at once.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has the wrong type',
    help: 'Send bodies as `Content-Type: application/json`, uncompressed (the import takes `multipart/form-data`, a floor plan images too).',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    help: 'The address exists but not with this method. The `Allow` header lists those it has.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for as many seconds as the `Retry-After` header says, then try again.',
  },
  'disk-full': {
    status: 507,
    title: 'The disk is full',
    help: 'Writes are refused until there is room on the data disk. Reading goes on.',
  },
  unavailable: {
    status: 503,
    title: 'Not available at the moment',
    help: 'The service is starting, stopping, or at a limit that `detail` names. Try again later.',
  },
} as const satisfies Record<Refusal['kind'], ProblemKind>;

/** Problems of the protocol and of the service itself: no feature can refuse with these. */
export const protocolKinds = {
  'malformed-request': {
    status: 400,
    title: 'Not an HTTP request',
    help: 'What arrived does not follow HTTP/1.1.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'The headers or the body did not arrive in time.',
  },
  'address-too-long': {
    status: 414,
    title: 'The address is too long',
    help: 'Path and query together may have 8,000 characters.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    help: 'The request line and all headers together may have 16 kB.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    help: 'The service failed. Its log has the cause under the id that the `X-Request-Id` header carries.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProtocolKind = keyof typeof protocolKinds;

/** Carries a protocol's problem to where failures are answered. */
export class ProtocolFault extends Error {
  readonly kind: ProtocolKind;
  constructor(kind: ProtocolKind, detail: string) {
    super(detail);
    this.name = 'ProtocolFault';
    this.kind = kind;
  }
}

const allKinds: ReadonlyMap<string, ProblemKind> = new Map<string, ProblemKind>([
  ...Object.entries(refusalKinds),
  ...Object.entries(protocolKinds),
]);

/** Every problem type by its slug. */
export function problemKinds(): ReadonlyMap<string, ProblemKind> {
  return allKinds;
}

/** The body for a refusal. */
export function problemOf(refusal: Refusal): Problem {
  const { status, title } = refusalKinds[refusal.kind];
  const problem = { type: `/problems/${refusal.kind}`, title, status, detail: refusal.detail };
  return refusal.kind === 'invalid' && refusal.errors ? { ...problem, errors: refusal.errors } : problem;
}

/** The body for a fault of the protocol or of the service. */
export function protocolProblem(kind: ProtocolKind, detail: string): Problem {
  const { status, title } = protocolKinds[kind];
  return { type: `/problems/${kind}`, title, status, detail };
}

/** The headers HTTP demands beside some problems: `Allow`, `Retry-After`, `WWW-Authenticate`. */
export function problemHeaders(refusal: Refusal): Record<string, string> {
  if (refusal.kind === 'method-not-allowed') return { Allow: refusal.allow.join(', ') };
  if (refusal.kind === 'too-many-requests') return { 'Retry-After': String(refusal.retryAfterSeconds) };
  const { status } = refusalKinds[refusal.kind];
  return status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
}
