import { hashText } from '../lib/prng.ts';
import type { SimulatedRead } from './world.ts';

/** How the reader's settings and firmware shape the envelope of every event. */
export interface EnvelopeShape {
  /** False leaves `eventType` out, as old firmware does; true when absent. */
  readonly eventType?: boolean;
  /** Sent with every event when given, see `hostnameOf`. */
  readonly hostname?: string;
}

export interface EventShape extends EnvelopeShape {
  /** `minimal`: what default settings give (201 bytes); `full`: every optional field of a read on. */
  readonly format: 'minimal' | 'full';
}

/** A read, and when its step of the world began: whole epoch milliseconds. */
export interface TimedRead extends SimulatedRead {
  readonly tickAt: number;
  /** Hundredths of a dBm; 3000 when absent. */
  readonly transmitPowerCdbm?: number;
}

const TRANSMIT_POWER_CDBM = 3000;
/** What the reader takes between seeing a tag (`lastSeenTime`) and queueing the event (`timestamp`). */
const QUEUE_DELAY_MS = 14;

/**
 * One tagInventory event as a single line of JSON. `timestamp` has nanoseconds, `epc` is base64url without padding
 * (12 bytes = 16 characters). The full format adds epcHex, tid, tidHex, pc, antennaName, lastSeenTime and phaseAngle.
 */
export function tagInventoryEvent(read: TimedRead, shape: EventShape): string {
  const epc = base64url(read.epcHex);
  const { port, rssiCdbm, frequency, transmitPowerCdbm = TRANSMIT_POWER_CDBM } = read;
  // By hand: this runs for every read of every reader, and JSON.stringify of built-up objects takes three times as long.
  const radio = `"peakRssiCdbm":${rssiCdbm},"frequency":${frequency},"transmitPowerCdbm":${transmitPowerCdbm}`;
  const body =
    shape.format === 'minimal'
      ? `{"epc":"${epc}","antennaPort":${port},${radio}}`
      : `{"epc":"${epc}",${fullIdentity(read)},"antennaPort":${port},"antennaName":"antenna-${port}",${radio},${fullTiming(read)}}`;
  return envelope(nanosecondTime(read.tickAt, read.offsetMs), shape, ['tagInventory', body]);
}

/** The TID is one of a factory serialised chip, tied to the EPC so that it stays the tag's own. */
function fullIdentity({ epcHex }: TimedRead): string {
  const tidHex = `E2801170${epcHex.slice(8)}`;
  return `"epcHex":"${epcHex}","tid":"${base64url(tidHex)}","tidHex":"${tidHex}","pc":"MAA="`;
}

function fullTiming({ tickAt, offsetMs, phaseAngle }: TimedRead): string {
  const microseconds = nanosecondTime(tickAt - QUEUE_DELAY_MS, offsetMs).slice(0, -4);
  return `"lastSeenTime":"${microseconds}Z","phaseAngle":${phaseAngle}`;
}

/** `{"inventoryStatus": …}`: the key readers send, where the API description says `status`. `at` in epoch ms. */
export function inventoryStatusEvent(
  status: 'running' | 'idle' | 'armed',
  at: number,
  shape: EnvelopeShape = {},
): string {
  return envelope(nanosecondTime(at), shape, [
    'inventoryStatus',
    JSON.stringify({ inventoryStatus: status }),
  ]);
}

/** An antenna was plugged in or out. `at` in epoch ms. */
export function antennaEvent(
  change: { readonly port: number; readonly connected: boolean },
  at: number,
  shape: EnvelopeShape = {},
): string {
  const name = change.connected ? 'antennaConnected' : 'antennaDisconnected';
  return envelope(nanosecondTime(at), shape, [name, JSON.stringify({ antennaPort: change.port })]);
}

/** The events a full buffer had to give up: payloads of the first and the last, how many, and how many are left. */
export interface Loss {
  readonly first: string;
  readonly last: string;
  readonly purged: number;
  readonly remaining: number;
}

/** Tells of purged events. `at` in epoch ms. */
export function overflowEvent(loss: Loss, at: number, shape: EnvelopeShape = {}): string {
  const body = {
    firstEventTimestamp: timestampOf(loss.first),
    lastEventTimestamp: timestampOf(loss.last),
    eventsPurged: loss.purged,
    eventsRemaining: loss.remaining,
  };
  return envelope(nanosecondTime(at), shape, ['overflow', JSON.stringify(body)]);
}

/** A reader's factory name, `impinj-xx-xx-xx`: the last three bytes of its MAC, here made from its serial. */
export function hostnameOf(serial: string): string {
  const hex = hashText(serial).toString(16).padStart(8, '0');
  return `impinj-${hex.slice(0, 2)}-${hex.slice(2, 4)}-${hex.slice(4, 6)}`;
}

/** The envelope's key order is the reader's: timestamp, hostname, eventType, the one event object. */
function envelope(
  timestamp: string,
  shape: EnvelopeShape,
  event: readonly [name: string, json: string],
): string {
  const [name, json] = event;
  const hostname = shape.hostname === undefined ? '' : `"hostname":${JSON.stringify(shape.hostname)},`;
  const eventType = shape.eventType === false ? '' : `"eventType":"${name}",`;
  return `{"timestamp":"${timestamp}",${hostname}${eventType}"${name}Event":${json}}`;
}

function base64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** Nanoseconds live in the small offset: a double cannot hold them beside the years. */
function nanosecondTime(wholeMs: number, offsetMs = 0): string {
  const offsetWhole = Math.floor(offsetMs);
  const atMs = Math.floor(wholeMs) + offsetWhole;
  const second = Math.floor(atMs / 1000);
  const nanoseconds = (atMs - second * 1000) * 1_000_000 + Math.floor((offsetMs - offsetWhole) * 1e6);
  return `${secondText(second)}.${String(nanoseconds).padStart(9, '0')}Z`;
}

/** Thousands of events share a second, and writing a date out is most of the cost of an event. */
const lastSecond = { at: Number.NaN, text: '' };

function secondText(second: number): string {
  if (second !== lastSecond.at) {
    lastSecond.at = second;
    lastSecond.text = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return lastSecond.text;
}

/** Every event made here begins with its timestamp. */
function timestampOf(event: string): string {
  return /^\{"timestamp":"([^"]*)"/.exec(event)?.[1] ?? '';
}
