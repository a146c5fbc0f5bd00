import { z } from 'zod';
import { parseEpc } from '../domain/epc.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant, parseInstant } from '../lib/instant.ts';

/** What the radio of a reader is doing, as the reader itself says it. */
export const radioStates = ['running', 'armed', 'idle'] as const;
export type RadioState = (typeof radioStates)[number];

/** Most reads that one message may stand for. */
export const readCountMax = 1_000_000;

/** Signal strengths taken as real, hundredths of a dBm: weaker is below thermal noise, stronger no tag sends back. */
export const rssiRangeCdbm = { min: -15_000, max: 0 } as const;

/** Characters of a base64 EPC without padding: 4 to 32 bytes, which are the 8 to 64 hexadecimal digits of an EPC. */
export const base64EpcLength = { min: 6, max: 43 } as const;

const hexEpc = z.string().refine((text) => parseEpc(text) !== null);
const base64Epc = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9+/_-]{${base64EpcLength.min},${base64EpcLength.max}}={0,2}$`))
  .refine((text) => text.replaceAll('=', '').length % 4 !== 1);
const antennaPort = z.int().min(1).max(limits.antennaPorts).nullish();
const readCount = z.int().min(1).max(readCountMax).nullish();
// A read is worth more than its signal strength or its reader's clock: what is not understood there counts as unknown.
const instant = z.string().nullish().catch(null);
const rssiCdbm = z.number().min(rssiRangeCdbm.min).max(rssiRangeCdbm.max).nullish().catch(null);
const rssiDbm = z
  .number()
  .min(rssiRangeCdbm.min / 100)
  .max(rssiRangeCdbm.max / 100)
  .nullish()
  .catch(null);

const r700Figures = { antennaPort, peakRssiCdbm: rssiCdbm, lastSeenTime: instant };

/** One R700 event that is a read: `epcHex`, else `epc` in base64url (padding and the standard alphabet are taken too). */
export const r700ReadSchema = z.looseObject({
  timestamp: instant,
  tagInventoryEvent: z.union([
    z.looseObject({ ...r700Figures, epcHex: hexEpc }),
    z.looseObject({ ...r700Figures, epcHex: z.literal('').nullish(), epc: base64Epc }),
  ]),
});

/** One Zebra IoT Connector tag data event; `data` may also be a list of such objects. `peakRssi` is in dBm. */
export const zebraReadSchema = z.looseObject({
  timestamp: instant,
  data: z.looseObject({ idHex: hexEpc, antenna: antennaPort, peakRssi: rssiDbm, reads: readCount }),
});

/** One read in the plain form, for bridges and scripts; also sent as a list or as `{"reads": […]}`. */
export const plainReadSchema = z.looseObject({
  epc: hexEpc,
  antennaPort,
  rssiCdbm,
  timestamp: instant,
  count: readCount,
});

/**
 * The figures of a health message, every one optional. The message of each check completes the sentence
 * "temperatureC is 900; …". `at` comes out in UTC with milliseconds.
 */
export const healthFigures = {
  at: instantText('an ISO 8601 date and time with an offset is allowed'),
  radio: z.enum(radioStates, 'running, armed or idle is allowed'),
  preset: text(128),
  temperatureC: figure(-60, 150),
  cpuPercent: figure(0, 100),
  memoryPercent: figure(0, 100),
  powerMilliwatts: figure(0, 1_000_000),
  model: text(limits.nameMaxLength),
  firmware: text(limits.nameMaxLength),
  serial: text(limits.nameMaxLength),
  hostname: text(limits.nameMaxLength),
  agentVersion: text(limits.nameMaxLength),
  uptimeSeconds: figure(0, 10_000_000_000),
  commands: z.boolean('true or false is allowed'),
};

/** What the agent publishes on `status`. `commands` true says that it is subscribed to the reader's commands. */
export const healthSchema = z
  .object({ type: z.literal('health'), ...healthFigures })
  .partial()
  .required({ type: true });
export type Health = z.infer<typeof healthSchema>;

function figure(min: number, max: number) {
  const allowed = `a number of ${min} to ${max} is allowed`;
  return z.number(allowed).min(min, allowed).max(max, allowed);
}

function text(maxLength: number) {
  const allowed = `1 to ${maxLength} characters without control characters are allowed`;
  return z
    .string(allowed)
    .min(1, allowed)
    .max(maxLength, allowed)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, allowed);
}

function instantText(allowed: string) {
  return z.string(allowed).transform((value, context) => {
    const at = parseInstant(value);
    if (at !== null) return formatInstant(at);
    context.addIssue(allowed);
    return z.NEVER;
  });
}
