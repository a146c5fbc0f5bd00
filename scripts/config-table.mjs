// Prints the table of configuration options that README.md holds.
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from './build.mjs';

const { outputFiles } = await build({
  entryPoints: [join(packageRoot, 'src', 'config', 'table.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
});
const [bundle] = outputFiles;
const { configTable } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.contents).toString('base64')}`
);
process.stdout.write(configTable());
