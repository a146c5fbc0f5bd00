import type { TagState, Visit } from '../domain/tag-state.ts';

/**
 * What one batch of reads left of one tag at one antenna: absolute values, so that applying them twice does no harm.
 * `orgNo` 0 = the tag was deleted; a visit without reads is none.
 */
export interface Touch {
  readonly tagNo: number;
  readonly orgNo: number;
  readonly state: TagState;
  readonly visit: Visit;
}

const HEADER_BYTES = 8;
const TOUCH_BYTES = 80;
const UINT32_MAX = 2 ** 32 - 1;

/** One batch as the value of a journal slot: its sequence number, then 80 bytes for each touch. */
export function encodeBatch(seq: number, touches: readonly Touch[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + touches.length * TOUCH_BYTES));
  view.setFloat64(0, seq, true);
  let at = HEADER_BYTES;
  for (const touch of touches) {
    writeTouch(view, at, touch);
    at += TOUCH_BYTES;
  }
  return new Uint8Array(view.buffer);
}

/** The sequence number of a slot's value, without decoding the rest. */
export function seqOf(value: Uint8Array): number {
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getFloat64(0, true);
}

export function decodeBatch(value: Uint8Array): { readonly seq: number; readonly touches: readonly Touch[] } {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const touches: Touch[] = [];
  for (let at = HEADER_BYTES; at < view.byteLength; at += TOUCH_BYTES) touches.push(readTouch(view, at));
  return { seq: seqOf(value), touches };
}

function writeTouch(view: DataView, at: number, { tagNo, orgNo, state, visit }: Touch): void {
  view.setUint32(at, tagNo, true);
  view.setUint32(at + 4, orgNo, true);
  view.setUint32(at + 8, state.zoneNo, true);
  view.setUint32(at + 12, state.antennaNo, true);
  view.setFloat64(at + 16, state.firstSeenAt, true);
  view.setFloat64(at + 24, state.lastSeenAt, true);
  view.setFloat64(at + 32, state.zoneSince, true);
  view.setFloat64(at + 40, state.zoneSeenAt, true);
  view.setUint32(at + 48, visit.antennaNo, true);
  view.setUint32(at + 52, visit.zoneNo, true);
  view.setFloat64(at + 56, visit.firstAt, true);
  view.setFloat64(at + 64, visit.lastAt, true);
  view.setUint32(at + 72, Math.min(visit.reads, UINT32_MAX), true);
}

function readTouch(view: DataView, at: number): Touch {
  return {
    tagNo: view.getUint32(at, true),
    orgNo: view.getUint32(at + 4, true),
    state: {
      zoneNo: view.getUint32(at + 8, true),
      antennaNo: view.getUint32(at + 12, true),
      firstSeenAt: view.getFloat64(at + 16, true),
      lastSeenAt: view.getFloat64(at + 24, true),
      zoneSince: view.getFloat64(at + 32, true),
      zoneSeenAt: view.getFloat64(at + 40, true),
    },
    visit: {
      antennaNo: view.getUint32(at + 48, true),
      zoneNo: view.getUint32(at + 52, true),
      firstAt: view.getFloat64(at + 56, true),
      lastAt: view.getFloat64(at + 64, true),
      reads: view.getUint32(at + 72, true),
    },
  };
}
