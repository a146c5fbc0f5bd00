import type { TagRead } from '../domain/read.ts';
import { describeJson } from '../lib/json-describe.ts';
import {
  countProblem,
  hexEpc,
  hexEpcProblem,
  isCount,
  isJsonObject,
  isPort,
  type Problem,
  portProblem,
  readerAt,
  rssiCdbm,
} from './decode-figures.ts';

/** One read in the plain form `{epc, antennaPort, rssiCdbm, timestamp, count}`, or what is wrong with it. */
export function plainRead(read: unknown): TagRead | Problem {
  if (!isJsonObject(read)) return () => `a read is ${describeJson(read)}; an object is expected`;
  const { antennaPort, count } = read;
  const epc = hexEpc(read.epc);
  if (epc === null) return hexEpcProblem('epc', read.epc);
  if (!isPort(antennaPort)) return portProblem('antennaPort', antennaPort);
  if (!isCount(count)) return countProblem('count', count);
  return {
    epc,
    antennaPort: antennaPort ?? null,
    rssiCdbm: rssiCdbm(read.rssiCdbm, 1),
    readerAt: readerAt(read.timestamp),
    count: count ?? 1,
  };
}
