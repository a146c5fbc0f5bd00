import type { TagRead } from '../domain/read.ts';
import { describeJson } from '../lib/json-describe.ts';
import {
  countProblem,
  hexEpc,
  hexEpcProblem,
  isCount,
  isJsonObject,
  isPort,
  type JsonObject,
  type Problem,
  portProblem,
  readerAt,
  rssiCdbm,
} from './decode-figures.ts';

/** The operating modes that a Zebra IoT Connector names as `type` of tag data. */
const readModes: readonly unknown[] = ['SIMPLE', 'INVENTORY', 'PORTAL', 'CONVEYOR', 'CUSTOM'];

/**
 * The tags of a Zebra IoT Connector tag data event (`data` is one or a list of them), or null when the event is none:
 * management events have the same envelope, but neither a mode as `type` nor an `idHex`.
 */
export function zebraTags(event: JsonObject): readonly unknown[] | null {
  const { data, type } = event;
  const tags = Array.isArray(data) ? data : [data];
  if (data !== undefined && readModes.includes(type)) return tags;
  return tags.some(hasIdHex) ? tags : null;
}

/** The read of one tag of the event, or what is wrong with it. */
export function zebraRead(event: JsonObject, tag: unknown): TagRead | Problem {
  if (!isJsonObject(tag)) return () => `data is ${describeJson(tag)}; an object is expected`;
  const { idHex, antenna, reads } = tag;
  const epc = hexEpc(idHex);
  if (epc === null) return hexEpcProblem('idHex', idHex);
  if (!isPort(antenna)) return portProblem('antenna', antenna);
  if (!isCount(reads)) return countProblem('reads', reads);
  return {
    epc,
    antennaPort: antenna ?? null,
    rssiCdbm: rssiCdbm(tag.peakRssi, 100),
    readerAt: readerAt(event.timestamp),
    count: reads ?? 1,
  };
}

function hasIdHex(tag: unknown): boolean {
  return isJsonObject(tag) && tag.idHex !== undefined;
}
