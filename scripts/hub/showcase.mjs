// An appliance with virtual readers and made-up data, as pictures of the hub show it.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const login = { email: 'lead@example.org', password: 'a password for pictures' };

const START_MS = 60_000;
const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 600" width="1000" height="600">
<rect x="10" y="10" width="980" height="580" fill="#ffffff" stroke="#5c6670" stroke-width="6"/>
<path d="M10 400H350M650 400H990M500 10V260" fill="none" stroke="#5c6670" stroke-width="4"/>
<path d="M120 590v-8h120v8M380 590v-8h120v8M640 590v-8h120v8" fill="none" stroke="#b06a00" stroke-width="10"/></svg>`;
// The places of the virtual readers' four zones on that plan.
const PLACES = [
  [0.02, 0.03, 0.48, 0.6],
  [0.52, 0.03, 0.97, 0.6],
  [0.05, 0.72, 0.45, 0.95],
  [0.55, 0.72, 0.95, 0.95],
];
const GOODS = [
  'Pump 40-160',
  'Valve DN50',
  'Gear box',
  'Cable drum',
  'Motor 3 kW',
  'Filter set',
  'Coupling',
  'Sensor kit',
];
const ASSETS = [
  ['PJ-0007', 'Pallet jack 7', 'Pallet jacks'],
  ['PJ-0008', 'Pallet jack 8', 'Pallet jacks'],
  ['FL-0001', 'Fork lift 1', 'Fork lifts'],
  ['SC-0002', 'Floor scale', 'Scales'],
  ['GB-0031', 'Grid box 31', 'Grid boxes'],
  ['GB-0032', 'Grid box 32', 'Grid boxes'],
];

async function until(what, ask) {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${START_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function environment(folder) {
  return {
    ...process.env,
    TAGKEEP_DATA_DIR: join(folder, 'data'),
    TAGKEEP_CERTS_DIR: join(folder, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
    TAGKEEP_LOG__LEVEL: 'error',
  };
}

function addUser(tagkeep, env) {
  return new Promise((resolve, reject) => {
    const args = [tagkeep, 'user', 'add', login.email, '--role', 'admin', '--password-stdin'];
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`user add ended with ${code}`))));
    child.stdin.end(`${login.password}\n`);
  });
}

/** Starts the appliance of a checkout in a folder of its own, with `login`. `stop` ends it and takes the folder away. */
export async function startAppliance(root, args = []) {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tagkeep-hub-'));
  const env = environment(folder);
  const tagkeep = join(root, 'scripts', 'tagkeep.mjs');
  const child = spawn(process.execPath, [tagkeep, 'serve', ...args], { env, stdio: 'ignore' });
  const stop = async () => {
    const ended = child.exitCode !== null || new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, 'data', 'run', 'endpoints.json');
    const read = () => fs.existsSync(file) && JSON.parse(fs.readFileSync(file, 'utf8'));
    const { http } = await until('the appliance', read);
    await addUser(tagkeep, env);
    return { origin: http, env, tagkeep, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An appliance with virtual readers and with data that people put in. */
export async function openShowcase(root) {
  const appliance = await startAppliance(root, ['--demo']);
  try {
    await furnish(await signIn(appliance.origin));
    return appliance;
  } catch (error) {
    await appliance.stop();
    throw error;
  }
}

/** Debian's Chromium. */
export function chromiumProgram() {
  const folders = (process.env.PATH ?? '').split(':');
  const names = ['chromium-headless-shell', 'chromium'];
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => fs.existsSync(file));
  if (!found) throw new Error('no chromium in PATH: apt-get install chromium-headless-shell');
  return found;
}

/** What Chromium is started with; its sandbox is not given to root in containers. */
export const chromiumFlags = [
  '--disable-dev-shm-usage',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** Resolves with what calls REST as the user: `(method, path, body?) => JSON`. */
async function signIn(origin) {
  const answer = await fetch(`${origin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(login),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  // A text is a drawing.
  return async (method, path, body) => {
    const isText = typeof body === 'string';
    const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
    const type = isText ? 'image/svg+xml' : 'application/json';
    const headers = { cookie, ...(body !== undefined && { 'Content-Type': type }) };
    const response = await fetch(`${origin}/api/v1${path}`, { method, headers, ...sent });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
}

async function furnish(call) {
  const tags = await until('read tags', async () => {
    const seen = await call('GET', '/tags');
    return seen.length >= 40 && seen;
  });
  for (const [at, { epc }] of tags.entries()) {
    const name = `${GOODS[at % GOODS.length]}, lot ${410 + at}`;
    await call('PUT', `/tags/${epc}/data`, {
      Name: name,
      Customer: at % 3 ? 'Brandt & Söhne' : 'Ivers Ltd',
      Weight: String(12 + at * 3),
    });
  }
  await call('PATCH', '/fields/name', { isLabel: true });
  await furnishAssets(call, tags);
  await furnishFloor(call);
}

async function furnishAssets(call, tags) {
  const made = [];
  for (const [at, [assetTagNumber, name, category]] of ASSETS.entries())
    made.push(await call('POST', '/assets', { assetTagNumber, name, category, epc: tags[at].epc }));
  const hours = (count) => new Date(Date.now() + count * 3_600_000).toISOString();
  await call('POST', `/assets/${made[0].id}/check-out`, {
    custodian: 'R. Ortiz',
    expectedReturnAt: hours(6),
  });
  await call('POST', `/assets/${made[2].id}/check-out`, {
    custodian: 'M. Weber',
    expectedReturnAt: hours(-3),
  });
}

async function furnishFloor(call) {
  const [site] = await call('GET', '/sites');
  const zones = await call('GET', '/zones');
  const readers = await call('GET', '/readers');
  await call('PUT', `/sites/${site.id}/floor/plan`, PLAN);
  await call('PUT', `/sites/${site.id}/floor`, {
    zones: zones.slice(0, PLACES.length).map(({ id }, at) => ({ zoneId: id, points: corners(PLACES[at]) })),
    antennas: readers
      .slice(0, 2)
      .map(({ id }, at) => ({ readerId: id, port: 1, x: 0.25 + at * 0.5, y: 0.63 })),
  });
}

const corners = ([left, top, right, bottom]) => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
];
