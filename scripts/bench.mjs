// `npm run bench -- NAME [options]`: bundles the programs of scripts/bench into dist/bench and runs the one named.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isStale, packageRoot } from './build.mjs';
import { buildAgent } from './build-agent.mjs';

/** What can be run, and what it measures. */
const benches = {
  ingest: {
    entry: new URL('./bench/ingest.ts', import.meta.url),
    help: 'durable reads/s against a bare Aedes and Mosquitto, REST and stream meanwhile, memory at 1,000,000 tags',
  },
  commands: {
    entry: new URL('./bench/commands.ts', import.meta.url),
    help: "a start or stop from REST to the reader's answer, and the memory of the agent",
  },
  rest: {
    entry: new URL('./bench/rest.ts', import.meta.url),
    help: 'lists, searches, inventories, import, export, field changes and the stream at 1,000,000 tags with data',
  },
  hub: {
    entry: new URL('./bench/hub.mjs', import.meta.url),
    help: 'frames and memory of a page of the hub that is open while 500 tags are read',
  },
};

/** Programs the benches start as processes of their own. */
const helpers = [
  new URL('./bench/generator.ts', import.meta.url),
  new URL('./bench/probe.ts', import.meta.url),
  new URL('./bench/aedes-target.ts', import.meta.url),
  new URL('./bench/rest-client.ts', import.meta.url),
  new URL('./bench/consumers.ts', import.meta.url),
];

async function bundle() {
  const { build: esbuild } = await import('esbuild');
  await esbuild({
    absWorkingDir: packageRoot,
    entryPoints: [...Object.values(benches).map(({ entry }) => entry), ...helpers].map((url) =>
      fileURLToPath(url),
    ),
    outdir: join(packageRoot, 'dist', 'bench'),
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

function usage() {
  const lines = Object.entries(benches).map(([name, { help }]) => `  ${name.padEnd(10)} ${help}`);
  return `usage: npm run bench -- NAME [options]\n${lines.join('\n')}\n`;
}

async function main([name, ...args]) {
  if (!name || !Object.hasOwn(benches, name)) {
    process.stderr.write(name ? `bench: there is no bench "${name}"\n${usage()}` : usage());
    return 2;
  }
  if (isStale(packageRoot)) await build(packageRoot);
  if (name === 'commands') await buildAgent(packageRoot);
  await bundle();
  const program = join(packageRoot, 'dist', 'bench', `${name}.mjs`);
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], { stdio: 'inherit' });
  // The bench ends its own children and removes its folders; it must be let finish that.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  return 1;
});
