import type { Alert } from '../../contract/alert.ts';
import type { AssetEvent } from '../../contract/asset.ts';
import type { TagMovedEvent } from '../../contract/events.ts';
import type { AssetEventKind } from '../../domain/asset.ts';
import type { WebhookEventType } from '../../domain/webhook.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { Reading } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** An event as the outbox has it. */
export interface ToldEvent {
  readonly type: WebhookEventType;
  /** Epoch ms. */
  readonly at: number;
  readonly data: object;
}

/** What ids stand for now; null: it is gone. */
export interface Names {
  zone(id: string): string | null;
  asset(id: string): { readonly name: string; readonly assetTagNumber: string } | null;
}

/** The names of one organisation. */
export function namesOf(reading: Reading, orgId: string): Names {
  return {
    zone: (id) => reading.get(tables.zones, [orgId, id])?.name ?? null,
    asset: (id) => reading.get(tables.assets, [orgId, id]) ?? null,
  };
}

const NAME_MAX_LENGTH = 255;
const name = (text: string): string => oneLine(text, NAME_MAX_LENGTH);

/** What happened, as a sentence without its time and full stop. */
export function sentence({ type, data }: ToldEvent, names: Names): string {
  // The outbox holds what `webhookEvents` put there, of which the type tells the shape.
  if (type === 'tag_moved') return moveSentence(data as TagMovedEvent, names);
  if (type.startsWith('alert_')) return alertSentence(data as Alert);
  return assetSentence(data as ToldAssetEvent, names);
}

function moveSentence({ label, epc, fromZoneId, zoneName }: TagMovedEvent, names: Names): string {
  const tag = label === undefined ? epc : `${name(label)} (${epc})`;
  const from = fromZoneId === undefined ? null : names.zone(fromZoneId);
  return from === null
    ? `${tag} is now in ${name(zoneName)}`
    : `${tag} moved from ${name(from)} to ${name(zoneName)}`;
}

function alertSentence({ state, severity, message }: Alert): string {
  const said = { open: `Alert, ${severity}`, acked: 'Alert acknowledged', resolved: 'Alert resolved' }[state];
  return `${said}: ${message}`;
}

interface ToldAssetEvent extends AssetEvent {
  readonly assetId: string;
}

type Meta = AssetEvent['meta'];

const happened: Readonly<Record<AssetEventKind, (meta: Meta, zone: string) => string>> = {
  created: () => 'was added',
  check_out: ({ custodian, expectedReturnAt }) =>
    [
      'was checked out',
      ...(custodian === undefined ? [] : [` to ${name(custodian)}`]),
      ...(expectedReturnAt === undefined ? [] : [`, expected back ${expectedReturnAt}`]),
    ].join(''),
  check_in: ({ custodian }) =>
    custodian === undefined ? 'was checked in' : `was checked in by ${name(custodian)}`,
  zone_enter: (_, zone) => `came into ${zone}`,
  zone_exit: (_, zone) => `left ${zone}`,
  marked_missing: ({ lastSeenAt }) =>
    lastSeenAt === undefined ? 'is missing' : `is missing, last seen ${lastSeenAt}`,
  found: () => 'was found',
  retired: () => 'was retired',
};

function assetSentence({ assetId, kind, zoneName, meta }: ToldAssetEvent, names: Names): string {
  const asset = names.asset(assetId);
  const who = asset ? `${name(asset.name)} (${name(asset.assetTagNumber)})` : `Asset ${assetId}`;
  if (meta.updated === true) return `${who} was changed${changesIn(meta)}`;
  return `${who} ${happened[kind](meta, name(zoneName ?? 'a zone'))}`;
}

function changesIn({ changes = {} }: Meta): string {
  const told = Object.entries(changes).map(
    ([member, { from, to }]) => `${member} from "${name(from)}" to "${name(to)}"`,
  );
  return told.length === 0 ? '' : `: ${told.join(', ')}`;
}
