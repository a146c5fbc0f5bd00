// Bundles src/app/main.ts into dist/tagkeep.mjs. Run by `npm run build`, and by scripts/tagkeep.mjs when src is newer.
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAMP = '// build ';
const BUNDLE = 'tagkeep.mjs';
const CHUNK = 'tagkeep-';
/** A command that began with the build before may still ask for its parts. */
const LEFTOVERS_MS = 24 * 60 * 60 * 1000;

/** Identifies the state of every file under these folders, so that an edited, added or deleted file makes another one. */
export function fingerprint(root, folders, isMeant = () => true) {
  const hash = createHash('sha256');
  for (const file of folders.flatMap((folder) => filesBelow(root, folder)).filter(isMeant)) {
    // An editor's temporary file may be gone by now.
    const stat = fs.statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.size}\0${stat?.mtimeMs}\n`);
  }
  return hash.update(fs.readFileSync(join(root, 'package.json'))).digest('hex');
}

function filesBelow(root, folder) {
  const files = fs.readdirSync(join(root, folder), { recursive: true }).map(String).sort();
  return files.map((file) => join(folder, file));
}

// The hub is a program of its own (scripts/build-hub.mjs).
const stampOf = (root) => fingerprint(root, ['src'], (file) => !file.startsWith(join('src', 'hub')));

/** True when the bundle is missing or made from another state of src; a tree without src is never stale. */
export function isStale(root) {
  const bundle = join(root, 'dist', 'tagkeep.mjs');
  if (!fs.existsSync(bundle)) return true;
  if (!fs.existsSync(join(root, 'src', 'app', 'main.ts'))) return false;
  return !fs.readFileSync(bundle, 'utf8').startsWith(`${STAMP}${stampOf(root)}\n`);
}

// A reader never sees half a file, whoever else builds at the same time.
function replace(file, contents) {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  fs.writeFileSync(temporary, contents);
  fs.renameSync(temporary, file);
}

function options(root) {
  return {
    absWorkingDir: root,
    entryPoints: { tagkeep: join(root, 'src', 'app', 'main.ts') },
    outdir: join(root, 'dist'),
    // A command loads only what it needs. Beside the program, because some of it looks for files beside itself.
    splitting: true,
    chunkNames: `${CHUNK}[hash]`,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'silent',
  };
}

/** Builds once; rejects with an Error whose message is one line. */
export async function build(root) {
  try {
    const { build: bundle } = await import('esbuild');
    // Taken first: what changes meanwhile makes it stale.
    const stamp = stampOf(root);
    const { outputFiles } = await bundle(options(root));
    const dist = join(root, 'dist');
    fs.mkdirSync(dist, { recursive: true });
    retire(dist);
    // Maps and parts go first, so that a bundle never stands there without them.
    const inOrder = outputFiles.sort((a, b) => placeInOrder(a.path) - placeInOrder(b.path));
    for (const { path, text } of inOrder) replace(path, stamped(basename(path), text, stamp));
    removeLeftovers(dist, new Set(outputFiles.map(({ path }) => basename(path))));
  } catch (error) {
    throw new Error(`build failed: ${reason(error)}`);
  }
}

// The stamp is part of the bundle: beside it, it could end up next to another build's. In the parts it would be in their names.
function stamped(name, text, stamp) {
  if (name === BUNDLE) return `${STAMP}${stamp}\n${text}`;
  if (name !== `${BUNDLE}.map`) return text;
  const map = JSON.parse(text);
  return JSON.stringify({ ...map, mappings: `;${map.mappings}` });
}

/** From now on the parts of the bundle that stands there are left over. */
function retire(dist) {
  const now = new Date();
  const seen = new Set([BUNDLE]);
  for (const name of seen) {
    const file = join(dist, name);
    if (!fs.existsSync(file)) continue;
    for (const [, part] of fs.readFileSync(file, 'utf8').matchAll(/"\.\/(tagkeep-[A-Z0-9]{8}\.mjs)"/g))
      seen.add(part);
    if (name !== BUNDLE) for (const one of [file, `${file}.map`]) touch(one, now);
  }
}

function touch(file, now) {
  try {
    fs.utimesSync(file, now, now);
  } catch {
    // Another build has removed it.
  }
}

function placeInOrder(file) {
  return file.endsWith('.map') ? 0 : basename(file).startsWith(CHUNK) ? 1 : 2;
}

// Another build may be removing the same ones.
function removeLeftovers(dist, wanted) {
  for (const name of fs.readdirSync(dist)) {
    if (!/^tagkeep-[A-Z0-9]{8}\.mjs(\.map)?$/.test(name) || wanted.has(name)) continue;
    const file = join(dist, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > LEFTOVERS_MS) fs.rmSync(file, { force: true });
  }
}

function reason(error) {
  if (error?.code === 'ERR_MODULE_NOT_FOUND') return 'esbuild is not installed, run npm ci';
  const [first, ...others] = error?.errors ?? [];
  if (!first) return String(error?.message ?? error).split('\n')[0];
  const at = first.location ? `${first.location.file}:${first.location.line}:${first.location.column}: ` : '';
  return `${at}${first.text.replace(/\s+/g, ' ')}${others.length ? ` (and ${others.length} more)` : ''}`;
}

/** The build with the hub and what has to go along with it. An installation that has the build brings no tools for that. */
async function deliverable(root) {
  await build(root);
  const { hasHub, isHubStale, makeHub } = await import('./build-hub.mjs');
  if (hasHub(root) && isHubStale(root)) await makeHub(root);
  const { writeLicences } = await import('./licences.mjs');
  writeLicences(root, join(root, 'dist'));
}

/** The package's folder, found from this file, not from where the command was typed. */
export const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // Not awaited: what builds the hub imports this module, which would wait for itself.
  deliverable(packageRoot).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
