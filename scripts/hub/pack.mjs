// What comes after Vite: checks the hub's page, compresses its files once and for all, and lists what may be served.
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** What stands in the page where an answer's nonce belongs. */
const NONCE_PLACE = '__CSP_NONCE__';

/** A compressed form that saves less is not worth its decompression. */
const WORTH = 0.95;

const FORMS = [
  { name: 'br', suffix: '.br', compress: (bytes) => brotli(bytes, { params: brotliParams(bytes) }) },
  { name: 'gzip', suffix: '.gz', compress: (bytes) => gzip(bytes, { level: 9 }) },
];

const brotliParams = (bytes) => ({
  [zlib.constants.BROTLI_PARAM_QUALITY]: zlib.constants.BROTLI_MAX_QUALITY,
  [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
});

/**
 * Makes a folder out of Vite ready to be served: `NAME.br` and `NAME.gz` beside each file, and at last `files.json` with
 * `more` (the build's stamp, its packages). Throws one line when the page would not run under its content security policy.
 */
export async function packHub(folder, more = {}) {
  const page = fs.readFileSync(join(folder, 'index.html'), 'utf8');
  requireNonces(page);
  const files = {};
  for (const name of namesIn(folder)) files[name] = await compressedForms(join(folder, name));
  fs.writeFileSync(join(folder, 'files.json'), `${JSON.stringify({ ...more, files }, null, 2)}\n`);
  return files;
}

function namesIn(folder) {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)));
  return names.filter((name) => name !== 'index.html').sort();
}

async function compressedForms(file) {
  const bytes = fs.readFileSync(file);
  const made = [];
  for (const { name, suffix, compress } of FORMS) {
    const smaller = await compress(bytes);
    if (smaller.length > bytes.length * WORTH) continue;
    fs.writeFileSync(file + suffix, smaller);
    made.push(name);
  }
  return made;
}

function requireNonces(page) {
  if (!page.includes(NONCE_PLACE)) throw new Error(`index.html has no place for a nonce (${NONCE_PLACE})`);
  for (const [tag] of page.matchAll(/<(?:script|style)\b[^>]*>/gi))
    if (!/\bsrc=/.test(tag) && !tag.includes(`nonce="${NONCE_PLACE}"`))
      throw new Error(`index.html has ${tag} without a nonce`);
  const [attribute] = /\s(?:style|on\w+)=/i.exec(page) ?? [];
  if (attribute)
    throw new Error(`index.html has the attribute ${attribute.trim()}, which its policy forbids`);
}
