// Builds the hub, the pages in the browser, into dist/hub: `node scripts/build-hub.mjs [--if-stale]`. Also run by
// `npm run build` and by `tagkeep serve` in a checkout, when src/hub or src/contract is newer.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { fingerprint, packageRoot } from './build.mjs';

const CONFIG = join('scripts', 'hub', 'vite.config.mjs');
const SOURCES = [join('src', 'hub'), join('src', 'contract'), join('scripts', 'hub')];
/** A lock that is older belongs to nobody, whoever has its number now. */
const LOCK_MAX_AGE_MS = 5 * 60_000;
const LOCK_POLL_MS = 200;

/** Whether the tree has the hub's sources; an installation has not. */
export const hasHub = (root) => fs.existsSync(join(root, 'src', 'hub', 'index.html'));

/** Whether it can be built here. */
export const canBuildHub = (root) => hasHub(root) && fs.existsSync(join(root, 'node_modules', 'vite'));

/** True when the hub is missing or made from another state of its sources; never without sources. */
export function isHubStale(root) {
  return hasHub(root) && builtStamp(root) !== stampOf(root);
}

// Null: never built, or cut off by a power failure.
function builtStamp(root) {
  try {
    return JSON.parse(fs.readFileSync(join(root, 'dist', 'hub', 'files.json'), 'utf8')).stamp;
  } catch {
    return null;
  }
}

const stampOf = (root) =>
  fingerprint(
    root,
    SOURCES.filter((folder) => fs.existsSync(join(root, folder))),
  );

/**
 * Builds the hub if it is stale, in a process of its own: the tools take memory that the service has no use for, and React
 * looks at NODE_ENV. Rejects with an Error whose message is one line.
 */
export async function makeHub(root) {
  const script = join(root, 'scripts', 'build-hub.mjs');
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [script, '--if-stale'], { env }).catch((error) => {
    throw new Error(error.stderr?.trim().split('\n')[0] || error.message);
  });
}

/** One build at a time, whoever else is at it; who comes second finds it done. */
async function buildHub(root, { ifStale }) {
  fs.mkdirSync(join(root, 'dist'), { recursive: true });
  const lock = join(root, 'dist', '.hub-build');
  while (!take(lock)) await pause(LOCK_POLL_MS);
  try {
    if (ifStale && !isHubStale(root)) return;
    await buildAlone(root);
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) fs.rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock) {
  const stat = fs.statSync(lock, { throwIfNoEntry: false });
  if (!stat) return false;
  if (Date.now() - stat.mtimeMs > LOCK_MAX_AGE_MS) return true;
  const pid = Number(readIfThere(lock));
  // Its owner has made it and not yet written its number.
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function buildAlone(root) {
  const dist = join(root, 'dist');
  // What killed builds have left.
  for (const name of fs.readdirSync(dist))
    if (/^hub\.(new|old)-/.test(name)) fs.rmSync(join(dist, name), { recursive: true, force: true });
  const mark = randomBytes(4).toString('hex');
  const made = join(dist, `hub.new-${mark}`);
  try {
    // Taken first: what changes meanwhile makes it stale.
    const stamp = stampOf(root);
    const packages = await runVite(root, made);
    const { packHub } = await import('./hub/pack.mjs');
    await packHub(made, { stamp, packages });
    replaceFolder(made, { target: join(dist, 'hub'), aside: join(dist, `hub.old-${mark}`) });
  } finally {
    fs.rmSync(made, { recursive: true, force: true });
  }
}

function replaceFolder(made, { target, aside }) {
  if (fs.existsSync(target)) fs.renameSync(target, aside);
  fs.renameSync(made, target);
  fs.rmSync(aside, { recursive: true, force: true });
}

/** Resolves with the places of the packages that went into it, for their licences. */
async function runVite(root, outDir) {
  const { build } = await import('vite');
  const packages = new Set();
  const collector = {
    name: 'packages',
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const place = packagePlace(id);
        if (place) packages.add(place);
      }
    },
  };
  await build({
    configFile: join(root, CONFIG),
    // Read as it is: otherwise a copy is written into node_modules.
    configLoader: 'native',
    logLevel: 'silent',
    build: { outDir, emptyOutDir: true },
    plugins: [collector],
  });
  return [...packages].sort();
}

/** `node_modules/NAME` of a module, as the lock file has it; null for our own. */
function packagePlace(id) {
  const at = id.indexOf('/node_modules/');
  if (at < 0 || id.startsWith('\0')) return null;
  return (
    id
      .slice(at + 1)
      .match(/^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/)?.[0]
      .slice(0, -1) ?? null
  );
}

function reason(error) {
  if (error?.code === 'ERR_MODULE_NOT_FOUND' && /'vite'/.test(error.message))
    return 'vite is not installed, run npm ci';
  const lines = stripVTControlCharacters(String(error?.message ?? error)).split('\n');
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, 3)
    .join(' ');
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === import.meta.filename) {
  process.env.NODE_ENV = 'production';
  try {
    await buildHub(packageRoot, { ifStale: process.argv.includes('--if-stale') });
  } catch (error) {
    process.stderr.write(`hub build failed: ${reason(error)}\n`);
    process.exitCode = 1;
  }
}
