// Builds the on-reader agent by itself into dist/agent, as one file and as the folder that a reader's image is made from.
// `npm run build:agent [-- --node FILE]`; FILE is the Node program for 64-bit ARM.
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from './build.mjs';

/** What the agent needs of memory is small and known; it does so little that compiling it would only cost memory. */
const NODE_FLAGS = '--jitless --max-semi-space-size=1 --max-old-space-size=48';

// The reader runs `start` once at boot; files outside rw_dir are replaced by an upgrade.
const START = `#!/bin/sh
# Runs the Tagkeep agent, and again should it ever end.
cd /cust || exit 1
while true; do
  ./node ${NODE_FLAGS} agent.mjs --dir /cust/rw_dir $(cat rw_dir/agent.options 2>/dev/null)
  sleep 5
done
`;

const description = (version) => `[Description]
Version = ${version}
Valid Reader Hardware = R700V2
Input Directory = cap
Persistent Data = rw_dir
Partition Size = 256
`;

/** Bundles src/agent/main.ts with its packages; resolves with the file. */
export async function buildAgent(root, { node } = {}) {
  const { build } = await import('esbuild');
  const out = join(root, 'dist', 'agent');
  const cap = join(out, 'cap');
  fs.mkdirSync(join(cap, 'rw_dir'), { recursive: true });
  const outfile = join(cap, 'agent.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'src', 'agent', 'main.ts')],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    // Packages of the older module kind ask for built-in modules by this function.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  fs.writeFileSync(join(cap, 'start'), START, { mode: 0o755 });
  fs.writeFileSync(join(out, 'cap_description.in'), description(agentVersion(root)));
  if (node) {
    fs.copyFileSync(node, join(cap, 'node'));
    fs.chmodSync(join(cap, 'node'), 0o755);
  }
  return outfile;
}

/** The agent's own version has four parts. */
function agentVersion(root) {
  const text = fs.readFileSync(join(root, 'src', 'agent', 'version.ts'), 'utf8');
  const [, version] = text.match(/'(\d+\.\d+\.\d+\.\d+)'/) ?? [];
  if (!version) throw new Error('src/agent/version.ts names no four-part version');
  return version;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({ options: { node: { type: 'string' } } });
  try {
    const file = await buildAgent(packageRoot, values);
    const kB = Math.round(fs.statSync(file).size / 1024);
    process.stdout.write(`${relative(packageRoot, file)} (${kB} kB)\n`);
    if (!values.node)
      process.stdout.write('without --node FILE the folder has no Node program for the reader yet\n');
  } catch (error) {
    process.stderr.write(`build failed: ${String(error.message).split('\n')[0]}\n`);
    process.exitCode = 1;
  }
}
