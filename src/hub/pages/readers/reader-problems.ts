import type { Reader } from '../../../contract/reader.ts';
import type { ReaderDiagnostics } from '../../../contract/reader-diagnostics.ts';

/** What can be the matter with a reader; each has a sentence, and one that says what to do. */
export type Problem =
  | 'out-of-service'
  | 'never-connected'
  | 'broker-disconnected'
  | 'no-data'
  | 'radio-idle'
  | 'ports-off'
  | 'stopped'
  | 'does-not-stop'
  | 'no-agent'
  | 'command-failed'
  | 'settings-failed'
  | 'no-tags'
  | 'hot'
  | 'skew'
  | 'certificate-expired'
  | 'certificate-ends'
  | 'bad-payloads';

/** As the alert of a hot reader has it unless it was set otherwise, °C. */
const HOT_CELSIUS = 75;
/** A clock that is off by more puts reads into the wrong order, ms. */
const SKEW_MS = 5000;
/** A certificate that ends sooner is to be replaced, ms: 90 days. */
export const ENDS_SOON_MS = 7_776_000_000;
/** Older health figures say nothing about now, ms. */
const FRESH_MS = 300_000;
/** A bad message that is older is history, ms. */
const BAD_RECENT_MS = 3_600_000;

interface Known {
  readonly reader: Reader;
  readonly diagnostics?: ReaderDiagnostics | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** Everything that is the matter with a reader, what matters most first; at most one of them says why it does not read. Pure. */
export function problemsOf({ reader, diagnostics, now }: Known): readonly Problem[] {
  const found = [whyNotReading(reader), ...heldBack(reader), heat(reader, now)];
  return [...found, ...(diagnostics ? insights(diagnostics, now) : [])].filter((one) => one !== null);
}

function whyNotReading(reader: Reader): Problem | null {
  if (reader.outOfService) return 'out-of-service';
  const { offlineReason: reason } = reader;
  if (reason === 'stopped') return stopped(reader);
  if (reason) return reason;
  if (reader.status === 'degraded' || reader.displayStatus !== 'Online and Idle') return null;
  return 'no-tags';
}

// A reader without a single port in use is as good as stopped, although nobody stopped it.
function stopped(reader: Reader): Problem {
  if (reader.displayStatus === 'Degraded') return 'does-not-stop';
  return reader.enabled ? 'ports-off' : 'stopped';
}

function heldBack(reader: Reader): readonly (Problem | null)[] {
  if (reader.outOfService || reader.brokerStatus !== 'connected') return [];
  return [
    reader.commandsSupported ? null : 'no-agent',
    reader.commandsSupported && reader.lastCommand?.state === 'failed' ? 'command-failed' : null,
    reader.commandsSupported && reader.lastSettings?.state === 'failed' ? 'settings-failed' : null,
  ];
}

function heat({ temperatureC, healthAt }: Reader, now: number): Problem | null {
  if (temperatureC === undefined || healthAt === undefined) return null;
  return temperatureC >= HOT_CELSIUS && now - Date.parse(healthAt) < FRESH_MS ? 'hot' : null;
}

function insights(diagnostics: ReaderDiagnostics, now: number): readonly (Problem | null)[] {
  const { clockSkewMs, badPayloads, certificate } = diagnostics;
  const last = badPayloads[0];
  return [
    certificate ? ending(Date.parse(certificate.notAfter) - now) : null,
    clockSkewMs !== null && Math.abs(clockSkewMs) > SKEW_MS ? 'skew' : null,
    last && now - Date.parse(last.at) < BAD_RECENT_MS ? 'bad-payloads' : null,
  ];
}

function ending(leftMs: number): Problem | null {
  if (leftMs <= 0) return 'certificate-expired';
  return leftMs < ENDS_SOON_MS ? 'certificate-ends' : null;
}

/** How urgent a problem is, in the colour of its note: red keeps reads away, orange will, gray is what somebody wanted. */
export function toneOf(problem: Problem): 'red' | 'orange' | 'gray' {
  if (problem === 'stopped' || problem === 'no-tags') return 'gray';
  const isBad = [
    'out-of-service',
    'never-connected',
    'broker-disconnected',
    'no-data',
    'certificate-expired',
  ];
  return isBad.includes(problem) ? 'red' : 'orange';
}
