import type { Visit } from '../domain/tag-state.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const BYTES = 16;
const UINT32_MAX = 2 ** 32 - 1;

/** Writes a zone stay; the same stay (tag, first read, antenna) is overwritten as it grows. */
export function putVisit(tx: Tx, tagNo: number, visit: Visit): void {
  const view = new DataView(new ArrayBuffer(BYTES));
  view.setUint32(0, visit.zoneNo, true);
  view.setUint32(4, Math.min(visit.reads, UINT32_MAX), true);
  view.setFloat64(8, visit.lastAt, true);
  tx.put(tables.visits, [tagNo, visit.firstAt, visit.antennaNo], new Uint8Array(view.buffer));
}

/** A tag's zone stays as the table has them (`TagLedger.visits` has the newest too), the one that began last first. */
export function listVisits(reading: Reading, tagNo: number, limit: number): readonly Visit[] {
  const entries = reading.range(tables.visits, {
    start: [tagNo + 1],
    end: [tagNo],
    reverse: true,
    limit,
  });
  return Array.from(entries, ({ key: [, firstAt, antennaNo], value }) => decode(firstAt, antennaNo, value));
}

/** When a zone stay as the table holds it was last read, epoch ms. */
export function visitEnd(value: Uint8Array): number {
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getFloat64(8, true);
}

function decode(firstAt: number, antennaNo: number, value: Uint8Array): Visit {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return {
    antennaNo,
    firstAt,
    zoneNo: view.getUint32(0, true),
    reads: view.getUint32(4, true),
    lastAt: view.getFloat64(8, true),
  };
}
