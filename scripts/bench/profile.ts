import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Time of one function: in itself, and with all it calls. */
export interface Cost {
  readonly name: string;
  readonly selfMs: number;
  readonly totalMs: number;
}

/** The costs in the newest profile of a folder, the dearest first, and how long it ran without `(idle)`. */
function costsOf(dir: string): { readonly busyMs: number; readonly costs: readonly Cost[] } {
  const file = readdirSync(dir)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .at(-1);
  if (!file) throw new Error(`${dir} has no CPU profile`);
  const profile = JSON.parse(readFileSync(join(dir, file), 'utf8')) as CpuProfile; // written by Node
  const selfById = new Map<number, number>();
  profile.samples.forEach((id, i) => {
    selfById.set(id, (selfById.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0) / 1000);
  });
  const costs = collect(profile, selfById, namer());
  const busyMs = costs.reduce((sum, cost) => sum + cost.selfMs, 0);
  return { busyMs, costs: costs.sort((a, b) => b.selfMs - a.selfMs) };
}

function collect(
  profile: CpuProfile,
  selfById: ReadonlyMap<number, number>,
  nameOf: (frame: Frame) => string,
): Cost[] {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const costs = new Map<string, { selfMs: number; totalMs: number }>();
  // Walks by hand: profiles are deeper than the stack likes. `above` has the names on the way, so that recursion counts once.
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id);
    if (!node) return 0;
    const name = nameOf(node.callFrame);
    const self = name === '(idle)' ? 0 : (selfById.get(id) ?? 0);
    const inside = new Set(above).add(name);
    let total = self;
    for (const child of node.children ?? []) total += walk(child, inside);
    const cost = costs.get(name) ?? { selfMs: 0, totalMs: 0 };
    costs.set(name, { selfMs: cost.selfMs + self, totalMs: cost.totalMs + (above.has(name) ? 0 : total) });
    return total;
  };
  const [root] = profile.nodes;
  if (root) walk(root.id, new Set());
  return Array.from(costs, ([name, cost]) => ({ name, ...cost }));
}

/** `functionName file:line`, in the sources where a map leads there. */
function namer(): (frame: Frame) => string {
  const maps = new Map<string, SourceMap | null>();
  return ({ functionName, url, lineNumber, columnNumber }) => {
    if (url === '') return functionName;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    const source = entry && 'originalSource' in entry ? entry.originalSource : url;
    const line = entry && 'originalLine' in entry ? entry.originalLine + 1 : lineNumber + 1;
    return `${functionName || '(anonymous)'} ${source.replace(/^.*\/(?=src\/|node_modules\/)/, '')}:${line}`;
  };
}

function mapOf(url: string): SourceMap | null {
  if (!url.startsWith('file:') || !/\/dist\/tagkeep[^/]*\.mjs$/.test(url)) return null;
  return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')));
}

/** The costs as lines for people: share of the busy time in itself, with all it calls, and where. */
export function costLines(dir: string, count: number): readonly string[] {
  const { busyMs, costs } = costsOf(dir);
  const share = (ms: number): string => `${((100 * ms) / busyMs).toFixed(1)} %`.padStart(7);
  const top = costs
    .slice(0, count)
    .map(({ name, selfMs, totalMs }) => `${share(selfMs)} ${share(totalMs)}  ${name}`);
  const byTotal = [...costs].sort((a, b) => b.totalMs - a.totalMs).slice(0, count);
  return [
    `busy ${(busyMs / 1000).toFixed(1)} s`,
    '   self   total',
    ...top,
    '',
    'by total',
    ...byTotal.map(({ name, selfMs, totalMs }) => `${share(selfMs)} ${share(totalMs)}  ${name}`),
  ];
}
