import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Config } from '../config/options.ts';
import type { PlacedZone } from '../domain/locate.ts';
import type { TagRead } from '../domain/read.ts';
import type { LocationPolicy, ZoneKind } from '../domain/zone.ts';
import { decodeEvents } from '../ingest/decode.ts';
import { rulesOf } from '../ingest/rules.ts';
import { type Place, type StepRules, stepRead } from '../ingest/step.ts';
import { newView, type ViewState } from '../ingest/view.ts';

/** Which zone each port of the recorded reader watches. */
export type ReplayPorts = ReadonlyMap<number, { readonly zone: string; readonly kind: ZoneKind }>;

export interface ReplayOptions {
  /** One reader message per line, `.gz` too. */
  readonly file: string;
  readonly ports: ReplayPorts;
  readonly policy: LocationPolicy;
  /** Gaps, intervals and the allowed clock skew. */
  readonly config: Config;
}

export interface ReplayMove {
  readonly epc: string;
  /** Null for the first placement. */
  readonly from: string | null;
  readonly to: string;
  readonly at: number;
  readonly reason: string;
}

export interface ReplaySummary {
  readonly policy: LocationPolicy;
  readonly lines: number;
  readonly reads: number;
  /** Not newer than what their antenna had reported. */
  readonly repeats: number;
  readonly rejected: number;
  /** The first few reasons, with their line. */
  readonly rejections: readonly { readonly line: number; readonly reason: string }[];
  readonly tags: number;
  readonly placements: number;
  readonly moves: number;
  /** Tags that moved at least once after their first placement. */
  readonly tagsMoved: number;
  readonly from: number | null;
  readonly to: number | null;
}

const REJECTIONS_SHOWN = 5;

/**
 * Runs a recording through the code that live reads go through; the recording's own clock drives. Calls `onMove` for
 * every placement and move. Rejects when the file can't be read.
 */
export async function replay(
  options: ReplayOptions,
  onMove: (move: ReplayMove) => void,
): Promise<ReplaySummary> {
  const run = new Replay(options, onMove);
  const lines = createInterface({ input: await open(options.file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) run.take(line);
  return run.summary();
}

async function open(file: string): Promise<Readable> {
  const source = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    source.once('open', () => resolve());
    source.once('error', reject);
  });
  if (!file.endsWith('.gz')) return source;
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #onMove: (move: ReplayMove) => void;
  readonly #views = new Map<string, ViewState>();
  readonly #places: ReadonlyMap<number, Place>;
  readonly #zoneNames: readonly string[];
  readonly #zones: ReadonlyMap<number, PlacedZone>;
  readonly #moved = new Set<string>();
  readonly #rejections: { line: number; reason: string }[] = [];
  readonly #counts = { lines: 0, reads: 0, repeats: 0, rejected: 0, placements: 0, moves: 0 };
  readonly #rules: StepRules;
  #from: number | null = null;
  #clock: number | null = null;

  constructor(options: ReplayOptions, onMove: (move: ReplayMove) => void) {
    this.#options = options;
    this.#rules = { ...rulesOf(options.config), locationPolicy: options.policy };
    this.#onMove = onMove;
    this.#zoneNames = [...new Set(Array.from(options.ports.values(), ({ zone }) => zone))];
    this.#places = new Map(
      Array.from(options.ports, ([port, { zone, kind }]) => [port, this.#place(port, zone, kind)]),
    );
    const zones = Array.from(this.#places.values(), ({ zone }) => zone).filter((zone) => zone !== null);
    this.#zones = new Map(zones.map((zone) => [zone.no, zone]));
  }

  take(line: string): void {
    this.#counts.lines++;
    if (line.trim() === '') return;
    const decoded = decodeEvents(Buffer.from(line));
    this.#counts.rejected += decoded.rejectedCount;
    for (const { reason } of decoded.rejections) {
      if (this.#rejections.length < REJECTIONS_SHOWN)
        this.#rejections.push({ line: this.#counts.lines, reason });
    }
    for (const read of decoded.reads) this.#read(read);
  }

  summary(): ReplaySummary {
    return {
      policy: this.#options.policy,
      ...this.#counts,
      rejections: this.#rejections,
      tags: this.#views.size,
      tagsMoved: this.#moved.size,
      from: this.#from,
      to: this.#clock,
    };
  }

  #read(read: TagRead): void {
    this.#counts.reads++;
    const now = Math.max(this.#clock ?? Number.NEGATIVE_INFINITY, read.readerAt ?? this.#clock ?? 0);
    this.#clock = now;
    this.#from ??= now;
    const step = stepRead(this.#views.get(read.epc) ?? newView, {
      read,
      place: this.#places.get(read.antennaPort ?? 0) ?? { antennaNo: read.antennaPort ?? 0, zone: null },
      now,
      rules: this.#rules,
      zoneOf: (zoneNo) => this.#zones.get(zoneNo),
    });
    if (!step) {
      this.#counts.repeats++;
      return;
    }
    this.#views.set(read.epc, step.state);
    if (step.move) this.#tell(read.epc, step.move);
  }

  #tell(epc: string, move: { from: number; to: number; at: number; reason: string }): void {
    const from = move.from === 0 ? null : this.#zoneName(move.from);
    if (from === null) this.#counts.placements++;
    else {
      this.#counts.moves++;
      this.#moved.add(epc);
    }
    this.#onMove({ epc, from, to: this.#zoneName(move.to), at: move.at, reason: move.reason });
  }

  #place(port: number, zone: string, kind: ZoneKind): Place {
    return { antennaNo: port, zone: { no: this.#zoneNames.indexOf(zone) + 1, kind, policy: null } };
  }

  #zoneName(no: number): string {
    return this.#zoneNames[no - 1] ?? '';
  }
}
