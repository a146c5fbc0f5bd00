// Makes Tagkeep one file that needs nothing installed: dist/binary/tagkeep-linux-x64 and -arm64, and the agent alone.
// `npm run build:binary [-- --arch x64|arm64] [--agent] [--cache DIR] [--out DIR]`; without --arch and --agent all three.
import * as fs from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, pageFiles, programName } from './binary/bundle.mjs';
import { makeExecutable } from './binary/executable.mjs';
import { defaultCache, nativeAddons, nodeFolder } from './binary/packages.mjs';
import { packageRoot } from './build.mjs';
import { hasHub, isHubStale, makeHub } from './build-hub.mjs';
import { writeLicences } from './licences.mjs';

const ARCHITECTURES = ['x64', 'arm64'];

/** The agent does so little that compiling it would only cost memory, which a reader has little of. */
const AGENT_FLAGS = ['--jitless', '--max-semi-space-size=1', '--max-old-space-size=48'];

const flags = {
  arch: { type: 'string' },
  agent: { type: 'boolean', default: false },
  cache: { type: 'string', default: defaultCache() },
  out: { type: 'string', default: join(packageRoot, 'dist', 'binary') },
};

/** Builds one binary and resolves with its file. Rejects with an Error whose message is one line. */
async function buildBinary(root, { agent, arch, cache, out }) {
  fs.mkdirSync(out, { recursive: true });
  const outfile = join(out, programName({ agent, arch }));
  const program = await bundle(root, agent ? 'src/agent/main.ts' : 'src/app/main.ts');
  const assets = agent ? {} : { ...nativeAddons(root, { cache, arch }), ...pageFiles(root) };
  await makeExecutable({ program, assets, flags: agent ? AGENT_FLAGS : [], arch, cache, outfile });
  return outfile;
}

function wanted({ agent, arch }) {
  if (arch !== undefined && !ARCHITECTURES.includes(arch))
    throw new Error(`--arch is "${arch}"; must be ${ARCHITECTURES.join(' or ')}`);
  if (agent) return [{ agent: true, arch: arch ?? 'arm64' }];
  if (arch) return [{ agent: false, arch }];
  return [...ARCHITECTURES.map((one) => ({ agent: false, arch: one })), { agent: true, arch: 'arm64' }];
}

function oneLine(error) {
  const [first] = error?.errors ?? [];
  const at = first?.location ? `${first.location.file}: ` : '';
  return `${at}${String(first?.text ?? error?.message ?? error).replace(/\s+/g, ' ')}`;
}

try {
  const { values } = parseArgs({ options: flags });
  const cache = resolve(values.cache);
  const targets = wanted(values);
  if (hasHub(packageRoot) && isHubStale(packageRoot)) await makeHub(packageRoot);
  for (const one of targets) {
    const file = await buildBinary(packageRoot, { ...one, cache, out: resolve(values.out) });
    const megabytes = Math.round(fs.statSync(file).size / 1e6);
    process.stdout.write(`${relative(process.cwd(), file)} (${megabytes} MB)\n`);
  }
  // The same text is in the package for every processor.
  writeLicences(packageRoot, resolve(values.out), { node: nodeFolder(cache, process.arch) });
} catch (error) {
  process.stderr.write(`build failed: ${oneLine(error)}\n`);
  process.exitCode = 1;
}
