// Puts a bundled program and its embedded files into a copy of Node (Node's single executable applications).
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { nodeProgram, postjectModule } from './packages.mjs';

// The name under which Node looks for a program in itself, and the mark it is told by that there is one.
const BLOB = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Makes the executable `outfile`. `program` is the text of a CommonJS file, `assets` maps names to files, `flags` are
 * Node's own. It is complete or not there.
 */
export async function makeExecutable({ program, assets, flags, arch, cache, outfile }) {
  const scratch = fs.mkdtempSync(`${outfile}-`);
  try {
    const main = join(scratch, 'program.cjs');
    fs.writeFileSync(main, program);
    const blob = makeBlob({ main, assets, flags, arch, cache, scratch });
    const executable = join(scratch, 'program');
    fs.copyFileSync(nodeProgram(cache, arch), executable);
    fs.chmodSync(executable, 0o755);
    await injectQuietly(postjectModule(cache), executable, blob);
    fs.renameSync(executable, outfile);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

// It warns of notes in Node's own file that it can't name, a dozen times, and leaves them as they are.
async function injectQuietly(module, executable, blob) {
  const { warn } = console;
  console.warn = (text, ...more) => /^warning: Can't find string offset/.test(text) || warn(text, ...more);
  try {
    const { inject } = createRequire(import.meta.url)(module);
    await inject(executable, BLOB, blob, { sentinelFuse: FUSE });
  } finally {
    console.warn = warn;
  }
}

function makeBlob({ main, assets, flags, arch, cache, scratch }) {
  const config = join(scratch, 'sea.json');
  const output = join(scratch, 'program.blob');
  // Compiled code is only good for the processor it was compiled on.
  const useCodeCache = arch === process.arch && flags.length === 0;
  const settings = {
    main,
    output,
    assets,
    execArgv: flags,
    useCodeCache,
    disableExperimentalSEAWarning: true,
  };
  fs.writeFileSync(config, JSON.stringify(settings));
  // The blob's form differs from version to version: the one that reads it writes it.
  execFileSync(nodeProgram(cache, process.arch), ['--experimental-sea-config', config], { stdio: 'pipe' });
  return fs.readFileSync(output);
}
