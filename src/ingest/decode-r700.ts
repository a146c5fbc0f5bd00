import { type RadioState, radioStates } from '../contract/payloads.ts';
import type { TagRead } from '../domain/read.ts';
import { describeJson } from '../lib/json-describe.ts';
import { base64Epc, base64EpcProblem } from './decode-base64-epc.ts';
import {
  hexEpc,
  hexEpcProblem,
  isJsonObject,
  isPort,
  type JsonObject,
  type Problem,
  portProblem,
  readerAt,
  rssiCdbm,
} from './decode-figures.ts';

/** The read of an R700 event that has a `tagInventoryEvent`, or what is wrong with it. A message there is one read. */
export function r700Read(event: JsonObject): TagRead | Problem {
  const body = event.tagInventoryEvent;
  if (!isJsonObject(body)) return () => `tagInventoryEvent is ${describeJson(body)}; an object is expected`;
  const { epcHex, antennaPort } = body;
  const inHex = epcHex !== undefined && epcHex !== null && epcHex !== '';
  const epc = inHex ? hexEpc(epcHex) : base64Epc(body.epc);
  if (epc === null) return inHex ? hexEpcProblem('epcHex', epcHex) : noHexProblem(body.epc);
  if (!isPort(antennaPort)) return portProblem('antennaPort', antennaPort);
  return {
    epc,
    antennaPort: antennaPort ?? null,
    rssiCdbm: rssiCdbm(body.peakRssiCdbm, 1),
    readerAt: readerAt(body.lastSeenTime) ?? readerAt(event.timestamp),
    count: 1,
  };
}

/**
 * What an R700 status event says of the radio; null when it is none or says something else. The vendor's description
 * has the key `status`, readers send `inventoryStatus`.
 */
export function r700Radio(event: JsonObject): RadioState | null {
  const body = event.inventoryStatusEvent;
  if (!isJsonObject(body)) return null;
  const said = body.inventoryStatus ?? body.status;
  return radioStates.find((state) => state === said) ?? null;
}

function noHexProblem(epc: unknown): Problem {
  const unsaid = epc === undefined || epc === null;
  return unsaid ? () => 'tagInventoryEvent has neither epcHex nor epc' : base64EpcProblem(epc);
}
