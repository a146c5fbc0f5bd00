import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DoctorDesk, type DoctorDeskOptions } from '../../src/app/doctor-desk.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Refused } from '../../src/domain/refusal.ts';
import { until } from '../support/wait.ts';

const root = mkdtempSync(join(tmpdir(), 'tagkeep-desk-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const config = loadConfig({ env: { TAGKEEP_DATA_DIR: join(root, 'data') }, cwd: root });
let programs = 0;

/** A desk whose doctor is a script, and the file in which each of its runs leaves its arguments. */
function desk(
  script: string,
  more: Partial<DoctorDeskOptions> = {},
): { desk: DoctorDesk; runs: () => string[] } {
  const file = join(root, `program-${++programs}.mjs`);
  const log = `${file}.log`;
  const head = `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(' ') + '\\n');`;
  writeFileSync(file, `${head} ${script}`);
  const runs = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return { desk: new DoctorDesk({ config, program: [process.execPath, file], ...more }), runs };
}

const says = (findings: readonly object[], code = 0): string =>
  `process.stdout.write(${JSON.stringify(JSON.stringify({ at: '2026-03-02T09:00:00.000Z', findings }))}); process.exitCode = ${code};`;
const ok = { check: 'clock', level: 'ok', message: 'the clock says so' };
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refused)) throw error;
  return `${error.refusal.kind}: ${error.refusal.detail}`;
};

describe('the doctor for whoever asks by REST', () => {
  test('is one process for all who ask at once, and its answer is told again until it is old', async () => {
    const { desk: one, runs } = desk(says([ok]), { keptMs: 300, configFile: '/etc/x.json' });
    const answers = await Promise.all([one.report(), one.report(), one.report()]);
    expect(new Set(answers).size).toBe(1);
    expect(await one.report()).toBe(answers[0]);
    expect(runs()).toEqual(['doctor --json --config /etc/x.json']);
    await until('a new one', async () => (await one.report()) !== answers[0]);
    expect(runs()).toHaveLength(2);
  });

  test('tells a fault too, although the command ends with 1; a finding says whose it is', async () => {
    const fault = {
      check: 'modes',
      level: 'fault',
      subject: '/x/ca.key',
      message: 'has mode 644',
      advice: 'chmod',
    };
    const { desk: one } = desk(says([ok, fault], 1));
    expect(await one.report()).toEqual({
      at: '2026-03-02T09:00:00.000Z',
      findings: [
        { check: 'clock', level: 'ok', text: 'the clock says so' },
        { check: 'modes', level: 'fault', text: '/x/ca.key: has mode 644', advice: 'chmod' },
      ],
    });
  });

  test.each([
    [
      'ends with a reason',
      "console.error('tagkeep: data is not readable'); process.exit(1)",
      'data is not readable',
    ],
    ['says nothing', '', 'it answered nothing that can be read'],
    ['says something else', "console.log('{}')", 'it answered nothing that can be read'],
    [
      'dies',
      "process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)",
      'ended with SIGSEGV, as of a damaged store',
    ],
    ['takes too long', 'setInterval(() => {}, 1000)', 'took longer than 0.7 s'],
  ])('one that %s is a 503 with the reason', async (what, script, reason) => {
    const { desk: one } = desk(script, what === 'takes too long' ? { limitMs: 700 } : {});
    expect(await reasonOf(one.report())).toBe(`unavailable: The doctor could not be asked: ${reason}.`);
  });

  test('a program that is not there is a 503, and nobody tries again at once', async () => {
    const one = new DoctorDesk({ config, program: [join(root, 'none')] });
    expect(await reasonOf(one.report())).toMatch(/^unavailable: .*can't be started: /);
    const { desk: failing, runs } = desk("console.error('no'); process.exit(1)", { restMs: 300 });
    for (let n = 0; n < 3; n++) await reasonOf(failing.report());
    expect(runs()).toHaveLength(1);
    await until('another attempt', async () => {
      await reasonOf(failing.report());
      return runs().length === 2;
    });
  });

  test('a stop ends one that hangs within seconds, and whoever waits for it hears of it', async () => {
    const { desk: one, runs } = desk("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)");
    const waiting = reasonOf(one.report());
    await until('the doctor at work', () => runs().length === 1);
    const began = performance.now();
    await one.stop();
    expect(performance.now() - began).toBeLessThan(4000);
    expect(await waiting).toContain('stopped with the appliance');
  });
});
