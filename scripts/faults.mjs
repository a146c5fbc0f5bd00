// `npm run faults -- [NAME…] [options]`: bundles the programs of scripts/faults into dist/faults and runs the fault suite.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isStale, packageRoot } from './build.mjs';
import { buildAgent } from './build-agent.mjs';

const folder = fileURLToPath(new URL('./faults/', import.meta.url));
const out = join(packageRoot, 'dist', 'faults');

async function bundle() {
  const { build: esbuild } = await import('esbuild');
  await esbuild({
    absWorkingDir: packageRoot,
    entryPoints: readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [join(folder, file)] : [])),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
}

async function main(args) {
  await bundle();
  // A wrong command line is told before anything is built.
  const { problemOf } = await import(join(out, 'options.mjs'));
  if (!problemOf(args)) {
    if (isStale(packageRoot)) await build(packageRoot);
    await buildAgent(packageRoot);
  }
  const child = spawn(process.execPath, ['--enable-source-maps', join(out, 'main.mjs'), ...args], {
    stdio: 'inherit',
    cwd: packageRoot,
  });
  // The suite ends what it started and removes its folders; it must be let finish that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`faults: ${error.message}\n`);
  return 1;
});
