// `node scripts/schema-folder.mjs`: packs a small data folder of the schema this version writes into test/corpus/schemas,
// with what REST says of it beside it. Run it before the first migration that leads away from that schema, and commit both.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, isStale, packageRoot } from './build.mjs';

async function maker() {
  const { build: esbuild } = await import('esbuild');
  const outfile = join(packageRoot, 'dist', 'schema-folder.mjs');
  mkdirSync(join(packageRoot, 'dist'), { recursive: true });
  await esbuild({
    absWorkingDir: packageRoot,
    entryPoints: [join(packageRoot, 'test', 'support', 'schema-folder-peer.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

async function main([given]) {
  process.chdir(packageRoot);
  const out = given ?? join('test', 'corpus', 'schemas');
  if (isStale(packageRoot)) await build(packageRoot);
  if (!existsSync(join('dist', 'tagkeep.mjs'))) throw new Error('dist/tagkeep.mjs was not built');
  return spawnSync(process.execPath, [await maker(), out], { stdio: 'inherit' }).status ?? 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`schema-folder: ${error.message}\n`);
  return 1;
});
