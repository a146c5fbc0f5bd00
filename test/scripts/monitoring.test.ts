import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DoctorHouse } from '../support/doctor-house.ts';
import { plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

/** What Prometheus itself adds. */
const OWN = ['up'];
const NAME = /\b(?:tagkeep|process|nodejs)_[a-z0-9_]+|\bup\b/g;

const house = new DoctorHouse();
let metrics = '';

beforeAll(async () => {
  await house.start();
  const reader = await house.connect(await house.reader('370-10-15-0001'));
  const timestamp = new Date().toISOString();
  await reader.publish({ payload: plainRead('E28011600000C1F000000001') });
  await reader.publish({ payload: JSON.stringify({ epc: 'E28011600000C1F000000002', timestamp }) });
  await until('both reads', async () => {
    metrics = await (await fetch(`${house.app.endpoints.http}/metrics`)).text();
    return /tagkeep_ingest_reads_total 2/.test(metrics);
  });
  await reader.close();
}, 60_000);
afterAll(() => house.dispose());

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync('scripts/grafana-dashboard.json', 'utf8'),
);
const rules = readFileSync('scripts/prometheus-rules.yml', 'utf8');
const expressions = {
  dashboard: dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  rules: Array.from(rules.matchAll(/^ +expr: (.+)$/gm), ([, expr]) => expr ?? ''),
};

/** The names with samples, and the labels of each. */
function samples(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of metrics.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name) ?? new Set<string>();
    found.set(name, known);
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
  }
  return found;
}

describe.each(['dashboard', 'rules'] as const)('every figure that the %s shows', (of) => {
  it('is one that a running appliance has a value of', () => {
    const known = samples();
    const names = new Set(expressions[of].flatMap((expr) => expr.match(NAME) ?? []));
    expect(names.size).toBeGreaterThan(15);
    const missing = [...names].filter((name) => !known.has(name) && !OWN.includes(name));
    expect(missing).toEqual([]);
  });

  it('is a rate only of counters, and has the labels it is picked by', () => {
    const known = samples();
    for (const expr of expressions[of]) {
      for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g))
        expect(name).toMatch(/_total$/);
      for (const [, name = '', matchers = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g))
        for (const [, label = ''] of matchers.matchAll(/([a-z]+)[=!]/g))
          if (!['instance', 'job'].includes(label))
            expect([...(known.get(name) ?? [])], expr).toContain(label);
    }
  });
});

describe('the dashboard', () => {
  it('has panels with a number and a place of their own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos, title } of panels) expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    const overlapping = panels.filter((a) =>
      panels.some(
        (b) =>
          a.id !== b.id &&
          a.gridPos.y < b.gridPos.y + b.gridPos.h &&
          b.gridPos.y < a.gridPos.y + a.gridPos.h &&
          a.gridPos.x < b.gridPos.x + b.gridPos.w &&
          b.gridPos.x < a.gridPos.x + a.gridPos.w,
      ),
    );
    expect(overlapping).toEqual([]);
  });
});

describe('the rules', () => {
  it('each have a name of their own, a severity and a summary', () => {
    const names = Array.from(rules.matchAll(/^ +- alert: (\w+)$/gm), ([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(expressions.rules).toHaveLength(names.length);
    for (const word of ['labels: { severity: (?:critical|warning) }', 'summary: ".+"$'])
      expect(rules.match(new RegExp(word, 'gm')), word).toHaveLength(names.length);
  });
});

describe('metrics of single readers', () => {
  it('have the serial as their label, and what arrived of it', () => {
    expect(metrics).toMatch(/^tagkeep_reader_reads_total\{serial="370-10-15-0001"\} 2$/m);
    expect(metrics).toMatch(/^tagkeep_reader_connections\{serial="370-10-15-0001"\} 1$/m);
    expect(metrics).toMatch(/^tagkeep_ready 1$/m);
    expect(metrics).toMatch(/^tagkeep_disk_free_bytes \d+$/m);
  });

  it('are those of 200 readers, the others together, and never go down', async () => {
    const { diagnostics } = house.app.pipeline;
    for (let i = 0; i < 300; i++) diagnostics.of(`S-${i}`).reads += i;
    const sum = async (): Promise<readonly [series: number, reads: number, other: number]> => {
      const text = await (await fetch(`${house.app.endpoints.http}/metrics`)).text();
      const lines = [...text.matchAll(/^tagkeep_reader_reads_total\{serial="([^"]+)"\} (\d+)$/gm)];
      const other = lines.find(([, serial]) => serial === 'other')?.[2];
      return [lines.length, lines.reduce((total, [, , n]) => total + Number(n), 0), Number(other)];
    };
    const [series, reads, other] = await sum();
    expect([series, reads]).toEqual([201, 2 + (299 * 300) / 2]);
    diagnostics.of('S-new').reads += 5;
    expect(await sum()).toEqual([201, reads + 5, other + 5]);
  });
});
