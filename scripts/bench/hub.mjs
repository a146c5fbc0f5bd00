// A page of the hub in a real browser while 500 tags are read once a second each, and walk: how long its frames take, and
// what it holds in memory minute by minute, after its garbage was collected.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumProgram, login, startAppliance } from '../hub/showcase.mjs';

const TAGS = 500;
const READERS = 5;
const MINUTE_MS = 60_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '3' }, path: { type: 'string', default: '/now' } },
});
const minutes = Number(values.minutes);
if (!(minutes >= 1 && minutes <= 120))
  throw new Error(`--minutes is "${values.minutes}"; 1 to 120 are allowed`);

// Runs in the page: the time between frames, and how many events came.
const watchFrames = `
  globalThis.frames = []; let last = performance.now();
  const frame = (now) => { frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);`;
const takeFrames = 'frames.splice(0)';

function simulate({ tagkeep, env }) {
  const sizes = ['--readers', String(READERS), '--tags', String(TAGS), '--rate', String(TAGS * 2)];
  const args = [tagkeep, 'simulate', ...sizes, '--dwell', '60', '--duration', String(minutes * 60 + 120)];
  return spawn(process.execPath, args, { env, stdio: 'ignore' });
}

const quantile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

async function measure(page, session) {
  const eventsBefore = await eventsSent(page);
  await page.waitForTimeout(MINUTE_MS);
  const frames = (await page.evaluate(takeFrames)).sort((a, b) => a - b);
  const events = (await eventsSent(page)) - eventsBefore;
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    eventsPerSecond: Math.round(events / (MINUTE_MS / 1000)),
    frames: frames.length,
    p50: quantile(frames, 0.5),
    p99: quantile(frames, 0.99),
    max: frames.at(-1) ?? Number.NaN,
    heapMegabytes: of('JSHeapUsedSize') / 1e6,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
  };
}

async function eventsSent(page) {
  const text = await (await page.request.get('/metrics')).text();
  const lines = text.split('\n').filter((line) => /^tagkeep_stream_delivered_total/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const appliance = await startAppliance(process.cwd());
const readers = simulate(appliance);
const browser = await chromium.launch({ executablePath: chromiumProgram(), args: chromiumFlags });
try {
  const context = await browser.newContext({
    baseURL: appliance.origin,
    viewport: { width: 1440, height: 900 },
  });
  await context.request.post('/api/v1/auth/login', { data: login });
  const page = await context.newPage();
  await page.goto(values.path);
  await page.waitForSelector('h1');
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await page.waitForTimeout(15_000);
  await page.evaluate(watchFrames);
  await page.evaluate(takeFrames);
  process.stdout.write(
    `hub ${values.path}, ${TAGS} tags, ${browser.version()}\nminute  events/s  frames  p50 ms  p99 ms  max ms  heap MB  nodes  listeners\n`,
  );
  for (let minute = 1; minute <= minutes; minute++) {
    const seen = await measure(page, session);
    const cells = [
      seen.eventsPerSecond,
      seen.frames,
      seen.p50.toFixed(1),
      seen.p99.toFixed(1),
      seen.max.toFixed(1),
      seen.heapMegabytes.toFixed(1),
      seen.nodes,
      seen.listeners,
    ];
    process.stdout.write(`${minute}\t${cells.join('\t')}\n`);
  }
} finally {
  await browser.close();
  readers.kill('SIGTERM');
  await appliance.stop();
}
