// The packages that Tagkeep is delivered with, and their licences: `node scripts/licences.mjs [--json] [--write FILE]`.
// Ends with 1 when one has a licence that nobody has agreed to.
import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

// What may be handed on with a program under the MIT licence when its text goes along.
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OLDAP-2.8',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

const TEXT_FILE = /(^|\.)(licen[cs]e|copying|copyright|notice)(\.(md|txt|markdown))?$/i;

/** Whether an SPDX expression lets us: of "a OR b" one suffices, of "a AND b" both are needed. */
export function isAllowed(expression) {
  const plain = String(expression).replace(/[()]/g, ' ');
  return plain.split(/\sOR\s/).some((one) => one.split(/\sAND\s/).every((part) => ALLOWED.has(part.trim())));
}

/**
 * The packages of a delivery by the lock file: those that are installed, the native ones of the other processor, and those
 * that the built hub is made of.
 */
export function deliveredPackages(root) {
  const hub = hubPackages(root);
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = [];
  for (const [place, entry] of Object.entries(packages)) {
    if (place === '' || ((entry.dev || entry.devOptional) && !hub.has(place))) continue;
    const folder = join(root, place);
    const isInstalled = fs.existsSync(join(folder, 'package.json'));
    if (!isInstalled && !(entry.license && /-linux-(x64|arm64)$/.test(place))) continue;
    found.push(describe({ place, entry, folder: isInstalled ? folder : null }));
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Tools to whoever installs Tagkeep, but their code is in the hub's files: as the build has listed them. */
function hubPackages(root) {
  const list = join(root, 'dist', 'hub', 'files.json');
  return new Set(fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')).packages : []);
}

function describe({ place, entry, folder }) {
  const name = place.split('node_modules/').at(-1);
  if (folder === null) return { name, version: entry.version, licence: entry.license, author: '', texts: [] };
  const { version, license, author } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = typeof license === 'string' ? license : (license?.type ?? entry.license ?? 'none named');
  const by = typeof author === 'string' ? author : (author?.name ?? '');
  return { name, version, licence, author: by, texts: textsIn(folder) };
}

/** The licence texts of a package and of what it brings along as source (LMDB, LevelDB), each once. */
function textsIn(folder) {
  const texts = new Map();
  for (const file of filesBelow(folder).sort()) {
    const text = fs.readFileSync(file, 'utf8').trim();
    if (!texts.has(text)) texts.set(text, relative(folder, file));
  }
  return [...texts].map(([text, file]) => ({ file, text }));
}

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    const path = join(folder, one.name);
    if (one.isDirectory()) return one.name === 'node_modules' ? [] : filesBelow(path);
    return one.isFile() && TEXT_FILE.test(one.name) ? [path] : [];
  });
}

/** Every licence with its text, for whoever gets the program. `node`: the folder of the Node that is inside a binary. */
export function licenceTexts(packages, { node } = {}) {
  const line = '='.repeat(80);
  const own = node ? [nodeItself(node)] : [];
  const parts = [...own, ...packages].map(({ name, version, licence, author, texts }) => {
    const shown = texts.map(({ file, text }) => `--- ${file}\n\n${text}\n`);
    const none = `(${licence}; the package brings no text${author ? `; by ${author}` : ''})\n`;
    return `${line}\n${name} ${version}: ${licence}\n${line}\n\n${shown.join('\n') || none}`;
  });
  return `Tagkeep contains the following packages under their own licences.\n\n${parts.join('\n')}`;
}

function nodeItself(folder) {
  const { version } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = fs.readFileSync(join(folder, 'LICENSE'), 'utf8').trim();
  return {
    name: 'Node.js',
    version,
    licence: 'MIT and others',
    author: '',
    texts: [{ file: 'LICENSE', text }],
  };
}

/** Writes the texts beside a build. Throws when a licence is not allowed. */
export function writeLicences(root, folder, options) {
  const packages = deliveredPackages(root);
  const [first] = packages.filter(({ licence }) => !isAllowed(licence));
  if (first)
    throw new Error(`${first.name} ${first.version} has the licence ${first.licence}, which is not allowed`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, 'THIRD-PARTY-LICENCES.txt'), licenceTexts(packages, options));
}

function table(packages) {
  const width = (key) => Math.max(...packages.map((one) => one[key].length));
  const [name, version] = [width('name'), width('version')];
  return packages.map((one) => `${one.name.padEnd(name)}  ${one.version.padEnd(version)}  ${one.licence}`);
}

function main() {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, write: { type: 'string' }, root: { type: 'string' } },
  });
  const root = values.root ?? dirname(import.meta.dirname);
  const packages = deliveredPackages(root);
  const bad = packages.filter(({ licence }) => !isAllowed(licence));
  const shown = packages.map(({ name, version, licence }) => ({ name, version, licence }));
  process.stdout.write(
    values.json ? `${JSON.stringify(shown, null, 2)}\n` : `${table(packages).join('\n')}\n`,
  );
  if (values.write) fs.writeFileSync(values.write, licenceTexts(packages));
  for (const { name, version, licence } of bad)
    process.stderr.write(`licences: ${name} ${version} has the licence ${licence}, which is not allowed\n`);
  process.exitCode = bad.length > 0 ? 1 : 0;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === import.meta.filename) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`licences: ${String(error.message).split('\n')[0]}\n`);
    process.exitCode = 1;
  }
}
