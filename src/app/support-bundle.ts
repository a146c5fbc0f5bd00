import { cpus, freemem, release, totalmem, type } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { formatInstant } from '../lib/instant.ts';
import { type TarSource, writeTar } from '../lib/tar-stream.ts';
import { redactMembers } from '../log/redact.ts';
import { tableCounts } from '../store/snapshot.ts';
import type { Reading } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { examine } from './doctor.ts';
import type { Sight } from './doctor-sight.ts';
import { shownConfig } from './shown-config.ts';
import { version } from './version.ts';

/** Of each organisation, and how many organisations. */
const AUDIT_MAX = 200;
const ORGANISATIONS_MAX = 50;

/** A support bundle, ready to be written. */
export interface SupportBundle {
  /** A gzipped tar. */
  readonly bytes: Uint8Array;
  /** The names of the files in it. */
  readonly names: readonly string[];
}

/**
 * Everything somebody who helps from outside needs, and no secrets: the doctor's report without payloads, the metrics, the
 * configuration without secrets, versions, endpoints, how much is in each table, readers' counters, and who did what last
 * without what it was before and after. Names of readers and organisations are in it. Takes a few seconds at most.
 */
export async function makeSupportBundle(sight: Sight): Promise<SupportBundle> {
  const { running, config, now, store } = sight;
  const files: Readonly<Record<string, string>> = {
    'README.txt': readme(now),
    'doctor.json': json(await examine(sight, { showPayloads: false })),
    'metrics.txt': running.metrics ?? `not to be had: ${running.problem ?? 'no appliance is running'}\n`,
    'configuration.json': json(shownConfig(config)),
    'versions.json': json(versions()),
    'endpoints.json': json(running.endpoints),
    'readyz.json': json(running.ready),
    'tables.json': json(store && tableCounts(store)),
    'readers.json': json(readerCounters(sight)),
    'audit.json': json(store && lastActions(store)),
  };
  const tar = await buffer(writeTar(packed(files, now)));
  return { bytes: gzipSync(tar), names: Object.keys(files) };
}

async function* packed(files: Readonly<Record<string, string>>, now: number): AsyncGenerator<TarSource> {
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(redactedText(text));
    const content = Readable.from([bytes]);
    yield { name: `tagkeep-support/${name}`, size: bytes.length, modifiedAt: now, content };
  }
}

/** One more time over everything: a secret that strayed into a name or a message is found by its form. */
function redactedText(text: string): string {
  const { text: clean } = redactMembers({ text });
  return String(clean);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function versions() {
  const { node, v8, uv, openssl, zlib } = process.versions;
  return {
    tagkeep: version,
    ...{ node, v8, uv, openssl, zlib },
    system: `${type()} ${release()} ${process.arch}`,
    processors: cpus().length,
    memoryBytes: { total: totalmem(), free: freemem() },
  };
}

function readerCounters({ diagnostics }: Sight) {
  if (!diagnostics) return null;
  // What readers sent may be anything; their counters say as much.
  const devices = diagnostics.devices.map(({ badPayloads, ...counters }) => ({
    ...counters,
    badPayloadsKept: badPayloads.length,
  }));
  return { at: formatInstant(diagnostics.at), pid: diagnostics.pid, devices };
}

function lastActions(reading: Reading) {
  const orgs = Array.from(reading.range(tables.orgs, { limit: ORGANISATIONS_MAX }), ({ key }) => key);
  return orgs.map((orgId) => {
    const range = { start: [orgId, Number.MAX_VALUE], end: [orgId], reverse: true, limit: AUDIT_MAX };
    const actions = Array.from(reading.range(tables.audit, range), ({ value }) => ({
      at: formatInstant(value.at),
      actor: { kind: value.actor.kind, id: value.actor.id },
      ...{ action: value.action, resource: value.resource },
    }));
    return { orgId, actions };
  });
}

function readme(now: number): string {
  return [
    `Tagkeep ${version}, support bundle of ${formatInstant(Math.max(0, now))}`,
    '',
    'doctor.json         what `tagkeep doctor` finds; the payloads it shows on the appliance are left out',
    'metrics.txt         /metrics',
    'configuration.json  every option; secrets and the places of secret files are left out',
    'versions.json       of Tagkeep, Node.js and the system',
    'endpoints.json      where the appliance is reached; null when it does not run',
    'readyz.json         /readyz; null when it does not run',
    'tables.json         entries by table; null when the store could not be opened',
    'readers.json        counters of each device since the start of the appliance',
    `audit.json          the last ${AUDIT_MAX} actions of each organisation, without what they changed`,
    '',
    'There is no log in it: Tagkeep logs to its standard output. Under systemd add what this writes:',
    '  journalctl -u tagkeep --since -1d > tagkeep.log',
    '',
    'Keys, passwords, cookies, certificates and what readers sent are not in it. Names of readers and organisations are.',
    '',
  ].join('\n');
}
