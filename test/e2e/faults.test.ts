import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { outcomeOf } from '../../scripts/faults/fault.ts';
import { FailingCalls, injectionProblem } from '../../scripts/faults/injection.ts';
import { markdownOf } from '../../scripts/faults/report.ts';
import { ValueLedger } from '../../scripts/faults/value-ledger.ts';
import { Appliance, Rest } from '../support/appliance.ts';
import { until } from '../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'tagkeep-faults-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs of the machine are not found, so that what a fault needs is missing. */
function start(...args: string[]) {
  const env = { PATH: folder, HOME: folder, TMPDIR: folder };
  return spawn(process.execPath, ['scripts/faults.mjs', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function suite(...args: string[]) {
  const child = start(...args);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

/** Also true for one that nobody has asked for its exit code yet. */
function hasEnded(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || /\) Z /.test(readFileSync(stat, 'utf8'));
}

describe('npm run faults', () => {
  test.each([
    [['nothing-like-that'], 'faults: there is no fault "nothing-like-that"'],
    [['--seed', 'x'], 'faults: --seed is "x"; it takes a whole number from 1 to 999999999'],
    [['kill', '--minutes', '0'], 'faults: --minutes is "0"; it takes a whole number from 1 to 1440'],
    [['--rounds', '3'], "faults: Unknown option '--rounds'"],
  ])('%j is refused with the usage and exit code 2, and nothing runs', async (args, line) => {
    const { code, stdout, stderr } = await suite(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.startsWith(line)).toBe(true);
    expect(stderr).toMatch(/\nusage: npm run faults -- \[NAME…\]/);
  });

  test('a fault that can not be tried is told as not held, with what to install, and ends 1', async () => {
    const json = join(folder, 'report.json');
    const { code, stdout } = await suite('flush-error', '--seed', '5', '--json', json);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\| fault \| what must hold \| figures \| held \|$/m);
    expect(stdout).toMatch(/^\| flush-error \| .+ \| - \| \*\*no\*\* \|$/m);
    expect(stdout).toContain('- strace is not there: apt-get install strace');
    const [only] = JSON.parse(readFileSync(json, 'utf8')).faults;
    expect(only).toMatchObject({ name: 'flush-error', held: false, figures: [] });
    rmSync(json);
  });

  test('a run that is interrupted ends 130, and neither a process nor a file of it is left', async () => {
    const child = start('kill', '--quick', '--seed', '5');
    const ended = once(child, 'exit');
    child.stdout.resume();
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    const pidOf = () => {
      const file = readdirSync(folder, { recursive: true }).find((f) => /endpoints\.json$/.test(String(f)));
      return file !== undefined && Number(JSON.parse(readFileSync(join(folder, String(file)), 'utf8')).pid);
    };
    const running = until('an appliance of it to run', pidOf, 40_000);
    const pid = await running.finally(() => child.kill('SIGINT'));
    const [code] = await ended;
    expect({ code, left: readdirSync(folder) }).toEqual({ code: 130, left: [] });
    await until('its appliance to be gone', () => hasEnded(pid));
    expect(said).toContain('faults: stopping');
  }, 60_000);
});

test('the table tells what held and what not, whatever is in a cell', () => {
  const run = () => Promise.reject(new Error('not run here'));
  const table = markdownOf([
    {
      fault: { name: 'one', must: 'a | b', run },
      outcome: outcomeOf([{ what: 'lost', value: '0' }], []),
      seconds: 1,
    },
    { fault: { name: 'two', must: 'c', run }, outcome: outcomeOf([], ['it\nwas lost']), seconds: 1 },
  ]).split('\n');
  expect(table.slice(2)).toEqual([
    '| fault | what must hold | figures | held |',
    '| --- | --- | --- | --- |',
    '| one | a \\| b | lost: 0 | yes |',
    '| two | c | - | **no** |',
    '',
    'two:',
    '- it was lost',
  ]);
});

test('what was answered must be there; what got no answer may be', () => {
  const ledger = new ValueLedger();
  ledger.took('a');
  expect(ledger.faultIn('it', 'a')).toBeNull();
  ledger.unanswered('b');
  expect(ledger.faultIn('it', 'a')).toBeNull();
  ledger.unanswered('c');
  expect(ledger.faultIn('it', 'c')).toBeNull();
  // What was seen is certain: an older value may not come back.
  expect(ledger.faultIn('it', 'a')).toBe('it is a, c was written');
  ledger.took(null);
  expect(ledger.faultIn('it', 'c')).toBe('it is c, null was written');
  expect(ledger.answered).toEqual(['a']);
});

describe.skipIf(injectionProblem() !== null)('a disk that fails (needs strace)', () => {
  test('in the middle of a commit: the process ends with one clear line, and a new start has all that was answered', async () => {
    const appliance = new Appliance({ startMs: 40_000 });
    try {
      const key = await appliance.start().then(() => appliance.key());
      const failing = await FailingCalls.attach(appliance.pid, { calls: ['pwrite64:error=EIO:when=5+3'] });
      const answered: string[] = [];
      await until('the process to end', async () => {
        const name = `Zone ${performance.now()}`;
        const post = new Rest(appliance.endpoints(), key).send('POST', '/zones', { name });
        const { status } = await post.catch(() => ({ status: 0 }));
        if (status === 201) answered.push(name);
        return appliance.ended !== null;
      });
      await failing.detach();
      expect(appliance.ended).toBe(1);
      const last = appliance.output.trim().split('\n').at(-1) ?? '';
      expect(JSON.parse(last).msg).toMatch(/^the disk failed in the middle of a commit/);
      await appliance.start();
      const zones = await new Rest(appliance.endpoints(), key).get<readonly { name: string }[]>('/zones');
      const names = zones.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(answered));
    } finally {
      await appliance.dispose();
    }
  }, 120_000);
});
