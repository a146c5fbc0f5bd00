// `node scripts/kill-rounds.mjs --rounds 20`: kills a loaded appliance with SIGKILL again and again, and compares what it
// acknowledged with what it has kept. Ends 1 when anything is lost, listed twice or in the wrong place.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build, isStale, packageRoot } from './build.mjs';

const FAULTS_SHOWN = 10;

async function loadHouse() {
  const { build: esbuild } = await import('esbuild');
  const outfile = join(packageRoot, 'dist', 'kill-rounds.mjs');
  mkdirSync(join(packageRoot, 'dist'), { recursive: true });
  await esbuild({
    absWorkingDir: packageRoot,
    entryPoints: [join(packageRoot, 'test', 'support', 'loaded-house.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      readers: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  return Object.entries(values).map(([name, text]) => {
    if (!/^[1-9]\d{0,5}$/.test(text))
      throw new Error(`--${name} is "${text}"; it takes a whole number from 1`);
    return [name, Number(text)];
  });
}

function tell(round, { acknowledged, tags, unanswered, faults }) {
  process.stdout.write(
    `round ${round}: ${acknowledged} reads of ${tags} tags acknowledged, ${unanswered} messages in flight, ${faults.length} faults\n`,
  );
  for (const fault of faults.slice(0, FAULTS_SHOWN)) process.stdout.write(`  ${fault}\n`);
}

async function main(args) {
  const { rounds, readers, seed } = Object.fromEntries(optionsOf(args));
  process.chdir(packageRoot);
  if (isStale(packageRoot)) await build(packageRoot);
  const { LoadedHouse } = await loadHouse();
  process.stdout.write(`${rounds} rounds, ${readers} readers, --seed ${seed}\n`);
  const house = await LoadedHouse.open(readers, seed);
  let faults = 0;
  try {
    for (let round = 1; round <= rounds; round++) {
      const report = await house.killRound();
      tell(round, report);
      faults += report.faults.length;
    }
  } finally {
    await house.close();
  }
  process.stdout.write(`${faults === 0 ? 'nothing lost' : `${faults} faults`} in ${rounds} rounds\n`);
  return faults === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`kill-rounds: ${error.message}\n`);
  return 1;
});
