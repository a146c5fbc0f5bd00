// Turns a program of src into one CommonJS file that asks for nothing outside itself and its embedded files.
import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const EMBEDDED = fileURLToPath(import.meta.resolve('./embedded.cjs'));

/** Files of packages that are read while running, by the name they are asked for. */
const PAGES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map(
  (file) => `swagger-ui-dist/${file}`,
);

/** The embedded files that are the same on every processor: name to place. */
export const pageFiles = (root) => ({
  ...Object.fromEntries(PAGES.map((name) => [name, join(root, 'node_modules', name)])),
  ...hubFiles(join(root, 'dist', 'hub')),
});

/** Every file of the built hub as `hub/NAME`; none when there is no hub. */
function hubFiles(folder) {
  if (!fs.existsSync(folder)) return {};
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile());
  const places = files.map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(places.map((place) => [`hub/${relative(folder, place)}`, place]));
}

const ABSENT = "throw new Error('not part of this program');";

// What takes a native addon from beside the package, and what stands in for it.
const STAND_INS = {
  'node-gyp-build-optional-packages': "module.exports = () => require('embedded').loadNative('lmdb.node');",
  'node-gyp-build': "module.exports = () => require('embedded').loadNative('classic-level.node');",
  // Optional: their users do without when they are absent.
  'msgpackr-extract': ABSENT,
  bufferutil: ABSENT,
  'utf-8-validate': ABSENT,
  // A package's file has no place to be resolved to but the one it is extracted to.
  'files-of-packages':
    "exports.createRequire = () => ({ resolve: (name) => require('embedded').placeOf(name) });",
};

// These put functions together from their own source text, so nothing in them may be renamed; as CommonJS each keeps its scope.
const AS_COMMON_JS = /^(lmdb|ordered-binary|msgpackr)$/;

// Only these files of src read files beside the program, and they are embedded (PAGES, the hub).
const MAY_ASK_THEIR_PLACE = new Set(['src/http/docs-page.ts', 'src/app/own-hub.ts']);

/** Resolves with the text of the program. `entry` is relative to the root. */
export async function bundle(root, entry) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'import.meta.url': '__tagkeepPlace' },
    banner: { js: "const __tagkeepPlace=require('node:url').pathToFileURL(process.execPath).href;" },
    plugins: [standIns(root), commonJs, sources(root, entry)],
  });
  return outputFiles[0].text;
}

function standIns(root) {
  const names = Object.keys(STAND_INS).join('|');
  return {
    name: 'stand-ins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^(${names})$`) }, ({ path }) => ({ path, namespace: 'stand-in' }));
      onResolve({ filter: /^embedded$/, namespace: 'stand-in' }, () => ({ path: EMBEDDED }));
      onResolve({ filter: /^node:module$/ }, ({ importer }) =>
        relative(root, importer).startsWith('src/')
          ? { path: 'files-of-packages', namespace: 'stand-in' }
          : null,
      );
      onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
        contents: STAND_INS[path],
        resolveDir: dirname(EMBEDDED),
      }));
    },
  };
}

const commonJs = {
  name: 'common-js',
  setup({ onResolve, resolve }) {
    onResolve({ filter: AS_COMMON_JS }, ({ path, kind, resolveDir, importer }) =>
      kind === 'require-call' ? null : resolve(path, { kind: 'require-call', resolveDir, importer }),
    );
  },
};

function sources(root, entry) {
  return {
    name: 'sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const name = relative(root, path);
        const text = fs.readFileSync(path, 'utf8');
        if (name.startsWith('src/') && !MAY_ASK_THEIR_PLACE.has(name)) requirePlaceless(text);
        return { loader: 'ts', contents: name === entry ? withoutTopLevelAwait(text) : text };
      });
    },
  };
}

function requirePlaceless(text) {
  const [asks] = /import\.meta|\b__dirname\b|node:worker_threads/.exec(text) ?? [];
  if (asks)
    throw new Error(`uses ${asks}, and one binary has no files beside it: embed them (scripts/binary)`);
}

/** The same program with all but its imports in an async function: a CommonJS file may not wait at its top level. */
function withoutTopLevelAwait(text) {
  const imports = [...text.matchAll(/^import [\s\S]*?';$/gm)];
  const last = imports.at(-1);
  if (!last) throw new Error('has no import');
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\n(async () => {${text.slice(end)}})();\n`;
}

/** The name of a program's file in dist/binary. */
export const programName = ({ agent, arch }) => `${agent ? 'tagkeep-agent' : 'tagkeep'}-linux-${arch}`;
