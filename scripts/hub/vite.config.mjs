// Builds src/hub, the page at `/`, into dist/hub. What needs to know the build's place passes `outDir`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstLoad, styledWhole } from './first-load.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shell = join(root, 'src', 'hub', 'shell');
const early = join(shell, 'early.ts');

// Every file costs a slow phone a round trip. What the first page needs is one, and what is little and used by many is another.
const groups = [
  { name: 'early', test: (id) => id === early, priority: 3 },
  {
    name: 'react',
    tags: ['$initial'],
    test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/,
    priority: 2,
  },
  { name: 'library', tags: ['$initial'], test: /node_modules[\\/]/, priority: 2 },
  { name: 'frame', tags: ['$initial'], priority: 2 },
  { name: 'small', minShareCount: 3, maxModuleSize: 3000, priority: 1 },
];

export default defineConfig(({ command }) => ({
  root: join(root, 'src', 'hub'),
  base: command === 'build' ? '/hub/' : '/',
  plugins: [react(), firstLoad({ script: early, style: join(shell, 'frame.css') }), styledWhole(root)],
  // While the page is being worked on (`npx vite -c …`), a running appliance answers its calls.
  server: { host: '127.0.0.1', proxy: { '/api/v1': process.env.HUB_APPLIANCE ?? 'http://127.0.0.1:8080' } },
  build: {
    outDir: join(root, 'dist', 'hub'),
    emptyOutDir: true,
    target: 'es2022',
    // A picture inlined as a data: address could not be cached, nor be seen in the list of files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
}));
