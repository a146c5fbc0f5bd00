// Who may import whom, for dependency-cruiser (`npm run rules`). ARCHITECTURE.md has the same table in words.

const base = ['lib', 'domain', 'contract', 'config', 'log'];

// Folder of src → the other folders it may import.
const mayImport = {
  lib: [],
  domain: ['lib'],
  contract: ['lib', 'domain'],
  config: ['lib'],
  log: ['lib'],
  store: ['lib', 'domain', 'log'],
  pki: ['lib', 'log'],
  live: ['lib', 'contract', 'log'],
  broker: ['lib', 'domain', 'contract', 'log'],
  http: ['lib', 'domain', 'contract', 'log'],
  ingest: [...base, 'store', 'live'],
  sweep: [...base, 'store', 'live'],
  features: [...base, 'store', 'live', 'http'],
  cli: [...base, 'app', 'store', 'pki'],
  device: ['lib', 'contract'],
  agent: ['lib', 'contract', 'device'],
  simulator: ['lib', 'contract', 'device'],
  hub: ['contract'],
};
const folders = [...Object.keys(mayImport), 'app'];

// Package (a regular expression) → the one folder that may import it.
const soleUser = {
  lmdb: 'store',
  'node-forge': 'pki',
  '(aedes|aedes-[^/]+|level|mqemitter)': 'broker',
  '(koa|koa-[^/]+|@koa/[^/]+)': 'http',
  nodemailer: 'features',
};

// Also matches a package that isn't installed, so that no rule sleeps because of that.
const packagePath = (name) => `(^|node_modules/)${name}(/|$)`;

const INDEX_FILE = '/index[.][a-z]+$';

function rule(name, comment, { from, to }) {
  return { name, comment, severity: 'error', from, to };
}

function folderRule([folder, others]) {
  const allowed = [folder, ...others].join('|');
  return rule(
    `${folder}-imports`,
    `src/${folder} may import of src: ${others.join(', ') || 'nothing else'}.`,
    {
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${allowed})/` },
    },
  );
}

function soleUserRule([name, folder]) {
  const title = name.replace(/[^a-z-].*/, '') || name.match(/[a-z-]+/)[0];
  return rule(`only-${folder}-uses-${title}`, `Only src/${folder} may import this package.`, {
    from: { path: '^src/', pathNot: `^src/${folder}/` },
    to: { path: packagePath(name), pathNot: '^src/' },
  });
}

const purity = [
  rule('lib-is-pure', 'src/lib imports neither packages nor Node built-ins.', {
    from: { path: '^src/lib/' },
    to: { pathNot: '^src/' },
  }),
  rule('domain-is-pure', 'src/domain imports neither packages nor Node built-ins.', {
    from: { path: '^src/domain/' },
    to: { pathNot: '^src/' },
  }),
  rule('contract-uses-zod-only', 'Of packages and built-ins src/contract imports Zod alone.', {
    from: { path: '^src/contract/' },
    to: { pathNot: ['^src/', packagePath('zod')] },
  }),
  rule('hub-takes-types-only', 'The hub runs in a browser: it takes only types from the contract.', {
    from: { path: '^src/hub/' },
    to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
  }),
];

const shape = [
  rule('no-cycles', 'No import cycles, type-only imports included.', { from: {}, to: { circular: true } }),
  rule(
    'no-other-feature',
    'A feature never imports another; what two share is a rule (domain) or about tables (store).',
    {
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
  ),
  rule('no-index-files', 'No index files: every import names the file that has what it wants.', {
    from: { path: '^src/' },
    to: { path: INDEX_FILE, pathNot: 'node_modules/' },
  }),
  rule('no-index-files-at-all', 'Not even one that only passes on what others export.', {
    from: { path: INDEX_FILE, pathNot: 'node_modules/' },
    to: {},
  }),
  rule('no-unknown-folders', 'A new folder of src needs a row in the table above.', {
    from: { path: '^src/', pathNot: `^src/(${folders.join('|')})/` },
    to: {},
  }),
  rule('no-unknown-folder-used', 'A new folder of src needs a row in the table above.', {
    from: {},
    to: { path: '^src/', pathNot: `^src/(${folders.join('|')})/` },
  }),
  rule('nothing-outside-src', 'The program imports neither tests nor scripts.', {
    from: { path: '^src/' },
    to: { path: '^(test|scripts|certs|dist)/' },
  }),
  rule('no-dev-packages', 'Packages the program needs at run time are no development dependencies.', {
    // The hub's are in its build.
    from: { path: '^src/', pathNot: '^src/hub/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  }),
  rule('no-unlisted-packages', "Every package imported is one of package.json's own.", {
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  }),
  rule('no-unresolvable', 'An import that leads nowhere would be judged by no other rule.', {
    from: {},
    to: { couldNotResolve: true },
  }),
];

module.exports = {
  forbidden: [
    ...Object.entries(mayImport).map(folderRule),
    ...Object.entries(soleUser).map(soleUserRule),
    ...purity,
    ...shape,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Type-only imports count too: they tie folders together just as well.
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
