import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { WebhookChange } from '../../contract/webhook.ts';
import { invalid } from '../../domain/refusal.ts';
import type { Reading } from '../../store/store.ts';
import { type Table, tables } from '../../store/tables.ts';

/** How a subscription goes out. */
type Way = 'url' | 'emailTo';

interface Asked {
  readonly url?: string | null | undefined;
  readonly emailTo?: readonly string[] | null | undefined;
  readonly caPem?: string | null | undefined;
}

/** What of a change can't be for a subscription that goes out this way, as a 400 that names it. */
export function checkWay(way: Way, change: Asked, hasMailServer: boolean): void {
  const deny = (path: string, message: string) => invalid(`${path} ${message}.`, [{ path, message }]);
  if (way === 'url' && change.emailTo) throw deny('emailTo', 'is not for a webhook; make another one');
  if (way === 'url') return;
  if (change.url) throw deny('url', 'is not for e-mail; make another one');
  if (change.caPem) throw deny('caPem', 'is not for e-mail; set mail.caFile in the configuration');
  if (change.emailTo && !hasMailServer)
    throw deny('emailTo', 'needs a mail server; set mail.host in the configuration');
}

type Narrowing = Pick<WebhookChange, 'zoneIds' | 'assetIds' | 'caPem'>;

/** Throws a 400 that names what is asked for and can't be: zones or assets that are not there, certificates that are none. */
export function checkWebhook(reading: Reading, orgId: string, change: Narrowing): void {
  const { zoneIds, assetIds, caPem } = change;
  checkIds(reading, { orgId, table: tables.zones, member: 'zoneIds', ids: zoneIds ?? [] });
  checkIds(reading, { orgId, table: tables.assets, member: 'assetIds', ids: assetIds ?? [] });
  if (typeof caPem === 'string' && !isCertificates(caPem)) {
    const message = 'must be certificates in PEM';
    throw invalid(`caPem ${message}.`, [{ path: 'caPem', message }]);
  }
}

interface Named {
  readonly orgId: string;
  readonly table: Table<readonly [orgId: string, id: string], unknown>;
  readonly member: string;
  readonly ids: readonly string[];
}

function checkIds(reading: Reading, { orgId, table, member, ids }: Named): void {
  const at = ids.findIndex((id) => reading.get(table, [orgId, id]) === undefined);
  if (at < 0) return;
  const path = `${member}.${at}`;
  const message = member === 'zoneIds' ? 'must be a zone of yours' : 'must be an asset of yours';
  throw invalid(`${path} ${message}.`, [{ path, message }]);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function isCertificates(pem: string): boolean {
  const found = pem.match(CERTIFICATE) ?? [];
  // Nothing else in it: a private key pasted by mistake must not be kept, and shown.
  if (found.length === 0 || pem.replace(CERTIFICATE, '').includes('-----')) return false;
  try {
    for (const one of found) new X509Certificate(one);
    createSecureContext({ ca: pem });
    return true;
  } catch {
    return false;
  }
}
