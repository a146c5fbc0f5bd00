import type { Asset } from '../../contract/asset.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { AssetRecord } from '../../store/records.ts';
import type { Reading } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { AssetRoutesOptions } from './asset-parts.ts';

/** An asset as the interface has it, located where its tag is at this moment. Not to be asked inside a transaction. */
export function viewOf(options: AssetRoutesOptions, record: AssetRecord): Asset {
  return { ...ownMembers(options.store, record), ...locationOf(options, record.tagNo) };
}

/** An asset for the audit log: without what its tag says of it. */
export function auditViewOf(reading: Reading, record: AssetRecord): object {
  return { ...ownMembers(reading, record), ...(record.tagLabel !== null && { label: record.tagLabel }) };
}

function ownMembers(reading: Reading, record: AssetRecord): Asset {
  const { id, assetTagNumber, name, category, status, custodian, checkedOutAt, expectedReturnAt } = record;
  const tag = record.tagNo === null ? undefined : reading.get(tables.tags, record.tagNo);
  return {
    ...{ id, assetTagNumber, name, category, status },
    ...(custodian !== null && { custodian }),
    ...(checkedOutAt !== null && { checkedOutAt: formatInstant(checkedOutAt) }),
    ...(expectedReturnAt !== null && { expectedReturnAt: formatInstant(expectedReturnAt) }),
    ...(tag && { epc: tag.epc }),
  };
}

type Location = Pick<Asset, 'zoneId' | 'zoneName' | 'inZoneSince' | 'lastSeenAt'>;

function locationOf({ ledger, directory }: AssetRoutesOptions, tagNo: number | null): Location {
  if (tagNo === null) return {};
  const { lastSeenAt, zoneNo, zoneSince } = ledger.states.get(tagNo);
  const zone = zoneNo === 0 ? undefined : directory.zoneByNo(zoneNo);
  return {
    ...(zone && { zoneId: zone.id, zoneName: zone.name, inZoneSince: formatInstant(zoneSince) }),
    ...(!Number.isNaN(lastSeenAt) && { lastSeenAt: formatInstant(lastSeenAt) }),
  };
}
