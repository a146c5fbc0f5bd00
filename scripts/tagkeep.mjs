#!/usr/bin/env node
// The `tagkeep` command: brings the bundle up to date in a checkout, then runs it in this very process.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, isStale, packageRoot } from './build.mjs';

const bundle = join(packageRoot, 'dist', 'tagkeep.mjs');

// An installation without its development tools runs the bundle it came with.
const canBuild =
  existsSync(join(packageRoot, 'node_modules', 'esbuild')) && existsSync(join(packageRoot, 'src'));

async function bundleReady() {
  if (canBuild && isStale(packageRoot)) await build(packageRoot);
  if (canBuild && process.argv.includes('serve')) await hubReady();
  if (!existsSync(bundle)) throw new Error('not built, and the build tools are not installed: run npm ci');
}

// An installation has no such script either. Other commands don't show the hub, and building it takes a while.
async function hubReady() {
  const { canBuildHub, isHubStale, makeHub } = await import('./build-hub.mjs');
  if (canBuildHub(packageRoot) && isHubStale(packageRoot)) await makeHub(packageRoot);
}

// npx and `npm start` put a shell in between that dies of SIGTERM without passing it on: its end stands for the signal.
function stopWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    // A command that doesn't handle the signal, or has already got it, ends by itself.
    if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
  }, 200);
  watch.unref();
}

const problem = await bundleReady().then(
  () => null,
  (error) => error.message,
);
if (problem) {
  process.stderr.write(`tagkeep: ${problem}\n`);
  process.exitCode = 1;
} else {
  process.setSourceMapsEnabled(true);
  if (/\btagkeep\b/.test(process.env.npm_lifecycle_script ?? '')) stopWithShell();
  await import(pathToFileURL(bundle).href);
}
