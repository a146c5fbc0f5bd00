// Lints the OpenAPI document that a real appliance serves, with Redocly and Spectral; a warning fails too.
// `--write FILE` only writes the document. The linters are fetched by npx: they are 240 packages that nothing else needs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REDOCLY = '@redocly/cli@2.77.0';
const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const START_MS = 60_000;

const program = join(dirname(fileURLToPath(import.meta.url)), 'tagkeep.mjs');

/** Starts an appliance of its own on free loopback ports, asks it, and ends it. */
async function servedDocument(folder) {
  const env = {
    ...process.env,
    TAGKEEP_DATA_DIR: join(folder, 'data'),
    TAGKEEP_CERTS_DIR: join(folder, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
  };
  // In the folder, so that nobody's configuration file is read.
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const { http } = await endpointsOf(child, join(folder, 'data', 'run', 'endpoints.json'));
    return await (await fetch(`${http}/openapi.json`)).text();
  } finally {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  }
}

async function endpointsOf(child, file) {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await wait(50)) {
    if (child.exitCode !== null) throw new Error(`the appliance ended with ${child.exitCode}`);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  }
  throw new Error('the appliance did not start');
}

/** Runs a linter; true when it found nothing at all. */
function passes(folder, [name, ...args]) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status } = spawnSync('npx', ['--yes', name, ...args], { cwd: folder, env, stdio: 'inherit' });
  return status === 0;
}

const folder = mkdtempSync(join(tmpdir(), 'tagkeep-openapi-'));
try {
  const [option, target] = process.argv.slice(2);
  if (option !== undefined && (option !== '--write' || target === undefined))
    throw new Error('usage: lint-openapi.mjs [--write FILE]');
  const document = await servedDocument(folder);
  if (target !== undefined) {
    writeFileSync(target, document);
  } else {
    writeFileSync(join(folder, 'openapi.json'), document);
    writeFileSync(join(folder, 'ruleset.json'), JSON.stringify({ extends: ['spectral:oas'] }));
    const strict = [REDOCLY, 'lint', 'openapi.json', '--extends', 'recommended-strict'];
    const oas = [SPECTRAL, 'lint', 'openapi.json', '--ruleset', 'ruleset.json', '--fail-severity', 'hint'];
    const clean = [strict, oas].map((command) => passes(folder, command));
    if (clean.includes(false)) process.exitCode = 1;
  }
} catch (error) {
  console.error(`lint-openapi: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
