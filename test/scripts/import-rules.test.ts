import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RULES = resolve('scripts/import-rules.cjs');
const CRUISER = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

/** A file that breaks the rule by one import of another file, package or built-in. */
interface Breach {
  readonly rule: string;
  readonly from: string;
  readonly imports: string;
  /** `import type` instead of `import`. */
  readonly typeOnly?: true;
}

const folder = (name: string, other: string): Breach => ({
  rule: `${name}-imports`,
  from: `src/${name}/bad-${other.replace('/', '-')}.ts`,
  imports: `src/${other}/target.ts`,
});
const breach = (rule: string, from: string, imports: string): Breach => ({ rule, from, imports });

const breaches: readonly Breach[] = [
  folder('lib', 'domain'),
  folder('domain', 'store'),
  folder('contract', 'config'),
  folder('config', 'log'),
  folder('log', 'config'),
  folder('store', 'contract'),
  folder('pki', 'store'),
  folder('live', 'store'),
  folder('broker', 'ingest'),
  folder('http', 'store'),
  folder('ingest', 'sweep'),
  folder('sweep', 'ingest'),
  folder('features', 'broker'),
  folder('cli', 'http'),
  folder('device', 'domain'),
  folder('agent', 'simulator'),
  folder('simulator', 'log'),
  folder('hub', 'lib'),
  { ...folder('live', 'broker'), typeOnly: true },
  breach('no-other-feature', 'src/features/tags/bad.ts', 'src/features/zones/target.ts'),
  breach('hub-takes-types-only', 'src/hub/bad-value.ts', 'src/contract/target.ts'),
  breach('lib-is-pure', 'src/lib/bad-builtin.ts', 'node:fs'),
  breach('lib-is-pure', 'src/lib/bad-package.ts', 'zod'),
  breach('domain-is-pure', 'src/domain/bad-builtin.ts', 'node:crypto'),
  breach('domain-is-pure', 'src/domain/bad-package.ts', 'zod'),
  { rule: 'domain-is-pure', from: 'src/domain/bad-type.ts', imports: 'zod', typeOnly: true },
  breach('contract-uses-zod-only', 'src/contract/bad-builtin.ts', 'node:fs'),
  breach('contract-uses-zod-only', 'src/contract/bad-package.ts', 'mqtt'),
  breach('only-store-uses-lmdb', 'src/ingest/bad-lmdb.ts', 'lmdb'),
  { rule: 'only-store-uses-lmdb', from: 'src/app/bad-lmdb.ts', imports: 'lmdb', typeOnly: true },
  breach('only-pki-uses-node-forge', 'src/app/bad-forge.ts', 'node-forge'),
  breach('only-broker-uses-aedes', 'src/app/bad-aedes.ts', 'aedes'),
  breach('only-broker-uses-aedes', 'src/store/bad-level.ts', 'level'),
  breach('only-broker-uses-aedes', 'src/app/bad-persistence.ts', 'aedes-persistence-level'),
  breach('only-http-uses-koa', 'src/features/tags/bad-koa.ts', 'koa'),
  breach('only-features-uses-nodemailer', 'src/sweep/bad-mail.ts', 'nodemailer'),
  breach('only-http-uses-koa', 'src/features/tags/bad-router.ts', '@koa/router'),
  breach('only-http-uses-koa', 'src/features/tags/bad-body.ts', 'koa-body'),
  breach('no-index-files', 'src/app/bad-index.ts', 'src/store/index.ts'),
  breach('no-index-files-at-all', 'src/store/index.ts', 'src/store/target.ts'),
  breach('no-unknown-folders', 'src/misc/bad.ts', 'src/lib/target.ts'),
  breach('no-unknown-folders', 'src/bad.ts', 'src/lib/target.ts'),
  breach('no-unknown-folder-used', 'src/app/bad-misc.ts', 'src/misc/bad.ts'),
  breach('nothing-outside-src', 'src/app/bad-test.ts', 'test/target.ts'),
  breach('nothing-outside-src', 'src/app/bad-script.ts', 'scripts/target.mjs'),
  breach('no-dev-packages', 'src/app/bad-dev.ts', 'vitest'),
  breach('no-unlisted-packages', 'src/app/bad-unlisted.ts', 'unlisted'),
  breach('no-unresolvable', 'src/app/bad-nowhere.ts', 'src/app/nowhere.ts'),
  { rule: 'no-cycles', from: 'src/store/one.ts', imports: 'src/store/two.ts', typeOnly: true },
];
// The way back of the cycle, which is reported once, where it is entered.
const wayBack = { from: 'src/store/two.ts', imports: 'src/store/one.ts', typeOnly: true } as const;

// One file for every edge the architecture allows: rules that forbid too much would be worked around.
const base = ['lib', 'domain', 'contract', 'config', 'log'];
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: ['lib'],
  contract: ['lib', 'domain', 'zod'],
  config: ['lib', 'node:fs'],
  log: ['lib', 'pino'],
  store: ['lib', 'domain', 'log', 'lmdb'],
  pki: ['lib', 'log', 'node-forge'],
  live: ['lib', 'contract', 'log'],
  broker: ['lib', 'domain', 'contract', 'log', 'aedes', 'aedes-persistence-level', 'level', 'node:tls'],
  http: ['lib', 'domain', 'contract', 'log', 'koa', '@koa/router', 'koa-body'],
  ingest: [...base, 'store', 'live'],
  sweep: [...base, 'store', 'live'],
  'features/tags': [...base, 'store', 'live', 'http', 'nodemailer'],
  cli: [...base, 'store', 'pki'],
  device: ['lib', 'contract', 'mqtt'],
  agent: ['lib', 'contract', 'device', 'mqtt'],
  simulator: ['lib', 'contract', 'device', 'mqtt'],
  app: [
    ...base,
    'store',
    'pki',
    'live',
    'broker',
    'http',
    'ingest',
    'sweep',
    'features/tags',
    'cli',
    'device',
    'agent',
    'simulator',
  ],
};
const packages = [
  'zod',
  'pino',
  'lmdb',
  'node-forge',
  'aedes',
  'aedes-persistence-level',
  'level',
  'koa',
  '@koa/router',
  'nodemailer',
];
const installed = [...packages, 'koa-body', 'mqtt', 'vitest', 'unlisted'];

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tagkeep-rules-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text after `from` that reaches a file of the tree from another one; packages and built-ins stay as they are. */
function specifier(from: string, target: string): string {
  if (!/\.(ts|mjs)$/.test(target)) return target;
  return `${'../'.repeat(from.split('/').length - 1)}${target}`;
}

function importLine({ from, imports, typeOnly }: Omit<Breach, 'rule'>): string {
  const source = JSON.stringify(specifier(from, imports));
  return typeOnly ? `import type { T } from ${source};\nexport type { T };\n` : `import ${source};\n`;
}

/** A tree with a `target.ts` in every folder and stubs of the packages, so that only the imports under test are odd. */
function makeTree(name: string, imports: readonly Omit<Breach, 'rule'>[]): string {
  const dir = join(root, name);
  const dependencies = Object.fromEntries([...packages, 'koa-body', 'mqtt'].map((p) => [p, '*']));
  put(
    join(dir, 'package.json'),
    JSON.stringify({ type: 'module', dependencies, devDependencies: { vitest: '*' } }),
  );
  for (const name of installed) {
    put(
      join(dir, 'node_modules', name, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', main: 'main.js' }),
    );
    put(join(dir, 'node_modules', name, 'main.js'), '');
  }
  const folders = [...Object.keys(allowed), 'lib', 'hub', 'features/zones'].map((f) => `src/${f}/target.ts`);
  for (const file of [...folders, 'test/target.ts', 'scripts/target.mjs'])
    put(join(dir, file), 'export {};\n');
  for (const entry of imports) put(join(dir, entry.from), importLine(entry));
  return dir;
}

function violations(dir: string): readonly Violation[] {
  const args = [CRUISER, '--config', RULES, '--output-type', 'json', 'src'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: dir,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout).summary.violations;
}

describe('the import rules', () => {
  let found: readonly Violation[] = [];
  beforeAll(() => {
    found = violations(makeTree('bad', [...breaches, wayBack]));
  });

  it.each(breaches.map((b) => [b.rule, b.from, b.imports] as const))(
    '%s fires: %s imports %s',
    (rule, from, imports) => {
      const hits = found.filter((violation) => violation.rule.name === rule && violation.from === from);
      const target = imports.replace('node:', '').replace(/^@/, '');
      expect(hits.map((hit) => hit.to)).toContainEqual(expect.stringContaining(target));
    },
  );

  it('are all among those shown to fire', () => {
    const { forbidden } = createRequire(import.meta.url)(RULES);
    const names: readonly string[] = forbidden.map((rule: { name: string }) => rule.name);
    expect([...new Set(breaches.map((b) => b.rule))].sort()).toEqual([...names].sort());
  });

  it('allow every import the architecture allows', () => {
    const good = Object.entries(allowed).flatMap(([from, others]) =>
      others.map((other) => ({
        from: `src/${from}/uses-${other.replace(/\W/g, '-')}.ts`,
        imports: /^(node:|@)/.test(other) || installed.includes(other) ? other : `src/${other}/target.ts`,
      })),
    );
    const types = {
      from: 'src/hub/uses-types.ts',
      imports: 'src/contract/target.ts',
      typeOnly: true,
    } as const;
    expect(violations(makeTree('good', [...good, types]))).toEqual([]);
  });

  it('take a breach as a failure of the command', () => {
    const dir = makeTree('one', [{ from: 'src/lib/bad.ts', imports: 'node:fs' }]);
    const { status, stdout } = spawnSync(process.execPath, [CRUISER, '--config', RULES, 'src'], { cwd: dir });
    expect(status).not.toBe(0);
    expect(String(stdout)).toContain('lib-is-pure');
  });
});
