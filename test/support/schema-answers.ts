import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Appliance, Endpoints } from './appliance.ts';

/** What REST says of a packed data folder, by path: lists of objects with the members that time does not change. */
export type Answers = Readonly<Record<string, readonly object[]>>;

/** What lies beside a packed data folder. */
export interface PackedFolder {
  readonly schema: number;
  /** Of the configuration it was made with. */
  readonly env: Readonly<Record<string, string>>;
  /** Entries of every table. */
  readonly tables: Readonly<Record<string, number>>;
  readonly answers: Answers;
}

export const EPCS = ['3034257BF7194E4000001A85', '3034257BF7194E4000001A86', 'E28011606000020000000001'];

/** Nothing becomes of it by the time that has passed since it was made. */
export const LASTING = {
  TAGKEEP_RETENTION__VISITS_DAYS: '3650',
  TAGKEEP_RETENTION__ALERTS_DAYS: '3650',
  TAGKEEP_RETENTION__HISTORY_DAYS: '3650',
  TAGKEEP_RETENTION__TIMELINE_DAYS: '3650',
  TAGKEEP_RETENTION__AUDIT_DAYS: '3650',
  TAGKEEP_ASSETS__MISSING_AFTER_MINUTES: '0',
};

/** Paths and the members of their answers that stay the same, however much later they are asked for. */
const lasting: readonly (readonly [path: string, members: readonly string[]])[] = [
  ['/zones', ['id', 'name', 'kind', 'locationPolicy']],
  ['/fields', ['key', 'label', 'type', 'isLabel', 'displayOrder']],
  ['/devices', ['serial', 'model', 'state']],
  ['/readers', ['id', 'name', 'serial', 'model', 'enabled']],
  ['/assets?limit=100', ['id', 'name', 'assetTagNumber', 'category', 'epc', 'status', 'custodian']],
  ['/users', ['id', 'email', 'role', 'createdAt']],
  ['/api-keys', ['id', 'name', 'createdAt']],
  ['/webhooks', ['id', 'url', 'types', 'severities', 'createdAt']],
  ['/audit?limit=200', ['at', 'actor', 'action', 'resource', 'before', 'after']],
  ['/license', ['customer', 'edition', 'features', 'maxReaders', 'maxSites']],
  ...EPCS.flatMap((epc) => [
    [`/tags/${epc}/data`, ['epc', 'tagId', 'attributes']] as const,
    [`/tags/${epc}/history`, ['key', 'value', 'validFrom', 'validTo']] as const,
    [
      `/tags/${epc}/visits`,
      ['zoneId', 'zoneName', 'readerId', 'antennaPort', 'firstSeenAt', 'lastSeenAt', 'reads'],
    ] as const,
    [`/tags/${epc}/location`, ['epc', 'tagId', 'zoneId', 'zoneName', 'since', 'lastSeenAt']] as const,
  ]),
];
/** Below a list: asked for each of its ids. */
const ofEach: readonly (readonly [list: string, path: string, members: readonly string[]])[] = [
  ['/readers', '/readers/{id}/antennas', ['port', 'name', 'zoneId', 'enabled', 'powerCdbm']],
  ['/readers', '/readers/{id}/commands', ['id', 'kind', 'createdAt']],
  ['/assets?limit=100', '/assets/{id}/events', ['id', 'kind', 'zoneId', 'occurredAt', 'meta']],
  ['/webhooks', '/webhooks/{id}/deliveries', ['id', 'eventId', 'type', 'at', 'attempt', 'error']],
  ['/webhooks', '/webhooks/{id}/dead-letters', ['id', 'type', 'diedAt', 'error']],
];

/** Asks a running appliance as an administrator. */
export async function answersOf(endpoints: Endpoints, cookie: string): Promise<Answers> {
  const ask = async (path: string, members: readonly string[]): Promise<readonly object[]> => {
    const response = await fetch(`${endpoints.http}/api/v1${path}`, { headers: { cookie } });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return listIn(await response.json()).map((one) => picked(one, members));
  };
  const answers: Record<string, readonly object[]> = {};
  for (const [path, members] of lasting) answers[path] = await ask(path, members);
  for (const [list, path, members] of ofEach)
    for (const one of answers[list] ?? []) {
      const below = path.replace('{id}', 'id' in one ? String(one.id) : '');
      answers[below] = await ask(below, members);
    }
  return answers;
}

function listIn(body: unknown): readonly object[] {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) throw new Error('not an object');
  if ('license' in body && typeof body.license === 'object' && body.license !== null) return [body.license];
  return [body];
}

const picked = (one: object, members: readonly string[]): object =>
  Object.fromEntries(Object.entries(one).filter(([name]) => members.includes(name)));

/** A new administrator's session. */
export async function logIn(appliance: Appliance, email: string): Promise<string> {
  const made = await appliance.cliJson<{ password: string }>('user', 'add', email, '--role', 'admin');
  const response = await fetch(`${appliance.endpoints().http}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: made.password }),
  });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Puts the store of a packed folder into a data folder. */
export function unpackInto(dataDir: string, file: string): void {
  mkdirSync(join(dataDir, 'db'), { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xzf', file, '-C', dataDir]);
}
