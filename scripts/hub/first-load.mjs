// What Vite is told beyond its own ways, so that the hub is there soon: a small script that runs before the program, a list of
// what each view needs, and only the styles that are used.
import * as fs from 'node:fs';
import { basename, join } from 'node:path';

/** Where the hub's files are. */
const BASE = '/hub/';

/** The library's own names of classes, in its scripts and its styles alike. */
const CLASSES = /\bm_[0-9a-f]{5,8}\b/g;

/** How Vite names what the program imports, and its styles. */
const PRELOAD = /<link rel="modulepreload" crossorigin href="([^"]+)">\s*/g;

const STYLES = /<link rel="stylesheet" crossorigin href="([^"]+)">\s*/g;

/** The module of a view, and the first part of its address. */
const VIEW = /\/pages\/([a-z]+)\/\1-page\.tsx$/;

/**
 * Has something painted and asked for while the program is still coming: `style` and `script`, which has to be alone in its
 * file, are all that painting waits for. By `<meta name="parts">` the script is told the styles of the program, which it has to
 * put to use, and the files of every view that the page does not name itself.
 */
export const firstLoad = ({ script, style }) => ({
  name: 'first-load',
  apply: 'build',
  buildStart() {
    this.addWatchFile(style);
    this.emitFile({ type: 'asset', name: basename(style), source: fs.readFileSync(style) });
  },
  transformIndexHtml: {
    order: 'post',
    handler(page, { bundle }) {
      const files = Object.values(bundle);
      const early = BASE + files.find(({ moduleIds }) => moduleIds?.includes(script)).fileName;
      const first = BASE + files.find(({ names }) => names?.includes(basename(style))).fileName;
      const pieces = [...page.matchAll(PRELOAD)].map(([, name]) => name).filter((name) => name !== early);
      const styles = [...page.matchAll(STYLES)].map(([, name]) => name);
      const html = page
        .replace(`/shell/${basename(style)}`, first)
        .replace(PRELOAD, '')
        .replace(STYLES, '');
      const content = JSON.stringify({ program: styles, ...partsOf(bundle, page) });
      const meta = { tag: 'meta', attrs: { name: 'parts', content }, injectTo: 'head' };
      const scripts = [blocking(scriptOf(early)), ...pieces.map(scriptOf)];
      return { html, tags: [meta, ...scripts, ...styles.map(laterStyle)] };
    },
  },
});

// A script is run with all that it imports in one go, which holds up a slow phone. As scripts of the page the libraries run
// one after the other, each as soon as it is there.
const scriptOf = (src) => ({
  tag: 'script',
  attrs: { type: 'module', async: true, fetchpriority: 'high', crossorigin: true, src },
  injectTo: 'head',
});

// It knows the colours that somebody chose: painted before it has run, the page would change them in front of their eyes.
const blocking = (script) => ({ ...script, attrs: { ...script.attrs, blocking: 'render' } });

// Fetched now, and put to use by the first script: nothing that is painted before the program needs it.
const laterStyle = (href) => ({
  tag: 'link',
  attrs: { rel: 'preload', as: 'style', crossorigin: true, href },
  injectTo: 'head',
});

/** The files of each view by the first part of its address, without those that `html` names. */
function partsOf(bundle, html) {
  const views = Object.values(bundle).flatMap((chunk) => {
    const view = VIEW.exec(chunk.facadeModuleId ?? '')?.[1];
    return view ? [[view, filesOf(chunk, bundle).filter((file) => !html.includes(file))]] : [];
  });
  return Object.fromEntries(views);
}

function filesOf(chunk, bundle) {
  const chunks = [...withImports(chunk, bundle)];
  const styles = chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return [...chunks.map(({ fileName }) => fileName), ...styles].map((name) => BASE + name);
}

function withImports(chunk, bundle, found = new Set()) {
  if (found.has(chunk)) return found;
  found.add(chunk);
  for (const name of chunk.imports) withImports(bundle[name], bundle, found);
  return found;
}

/** Refuses a build that has a component of the library without its styles, and says which are lacking. */
export const styledWhole = (root) => ({
  name: 'styled-whole',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle);
    const used = classesIn(files.filter(({ type }) => type === 'chunk').map(({ code }) => code));
    const styles = files.filter(({ fileName }) => fileName.endsWith('.css'));
    const styled = classesIn(styles.map(({ source }) => String(source)));
    const lacking = styleFiles(root).filter(({ classes }) =>
      [...classes].some((name) => used.has(name) && !styled.has(name)),
    );
    if (lacking.length > 0)
      this.error(`src/hub/shell/mantine.css lacks ${lacking.map(({ name }) => name).join(', ')}`);
  },
});

const classesIn = (texts) => new Set(texts.flatMap((text) => text.match(CLASSES) ?? []));

function styleFiles(root) {
  const folder = join(root, 'node_modules', '@mantine', 'core', 'styles');
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.css') && !name.endsWith('.layer.css'));
  return names.map((name) => ({
    name,
    classes: classesIn([fs.readFileSync(join(folder, name), 'utf8')]),
  }));
}
