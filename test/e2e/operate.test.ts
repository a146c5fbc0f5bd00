import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlainBox } from '../support/plain-box.ts';
import { until } from '../support/wait.ts';

/** Every block of the README's "Operate", by its heading; the lines run here are the ones that are printed there. */
const operate = readFileSync('README.md', 'utf8').split('\n## Operate\n')[1]?.split('\n## ')[0] ?? '';
const tasks = operate.split('\n### ').slice(1);
const ran = new Set<string>();

function block(task: string, language = 'sh', at = 0): string {
  const text = tasks.find((one) => one.startsWith(`${task}\n`)) ?? '';
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  const found = blocks[at]?.[1];
  if (found === undefined) throw new Error(`the README has no ${language} block ${at} under "${task}"`);
  ran.add(found);
  return found;
}

let box: PlainBox;
let other: PlainBox;
beforeAll(() => {
  box = new PlainBox();
  other = new PlainBox();
});
afterAll(async () => {
  await box.dispose();
  await other.dispose();
});

const authority = (of: PlainBox): string => readFileSync(of.path('var/lib/tagkeep/certs/ca.crt'), 'utf8');

describe('what the README says under "Operate" works as it is printed', () => {
  test('start', async () => {
    const said = await box.sh(block('Start'));
    expect(said).toMatch(/tagkeep \S+ is ready at http:\/\/127\.0\.0\.1:\d+/);
    expect(said).toContain('active (running)');
    expect(said).toMatch(/password/);
    expect(said).toContain('"status":"ready"');
  }, 90_000);

  test('trust: the two fingerprints are one, and curl needs no option afterwards', async () => {
    const [there = '', here = ''] =
      (await box.sh(block('Trust'))).match(/(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/g) ?? [];
    expect(there).not.toBe('');
    expect(here).toBe(there);
    expect(await box.sh(block('Trust', 'sh', 1))).toContain('"status":"ready"');
  }, 90_000);

  test('monitor', async () => {
    const said = await box.sh(block('Monitor'));
    expect(said).toMatch(/^tagkeep_disk_free_bytes \d/m);
    expect(said).toMatch(/clock/i);
    expect(existsSync(box.path('tmp/support.tar.gz'))).toBe(true);
  }, 90_000);

  test('back up, by hand and by the clock', async () => {
    const said = await box.sh(block('Back up'));
    expect(said).toMatch(/^wrote \S+box\.tkb/m);
    expect(said).toMatch(/^can be restored: \S+box\.tkb/m);
    box.configure(JSON.parse(`{${block('Back up', 'json')}}`));
    await box.sh(block('Back up', 'sh', 1));
    const folder = box.path('var/lib/tagkeep/backups');
    await until('the first scheduled backup', () => existsSync(folder) && readdirSync(folder).length === 1);
  }, 90_000);

  test('upgrade: the next version goes on top, and the data stays', async () => {
    const before = authority(box);
    expect(await box.sh(block('Upgrade'))).toMatch(/is ready at/);
    expect(authority(box)).toBe(before);
  }, 90_000);

  test('move to a new box: the same appliance to its readers', async () => {
    copyFileSync(box.path('mnt/usb/box.tkb'), other.path('mnt/usb/box.tkb'));
    copyFileSync(box.path('var/lib/tagkeep/backup.passphrase'), other.path('mnt/usb/backup.passphrase'));
    await box.sh('sudo systemctl stop tagkeep');
    await other.sh(block('Restore, or move to a new box'));
    await until('the new box to be ready', () =>
      existsSync(join(other.path('var/lib/tagkeep/data/run'), 'endpoints.json')),
    );
    expect(authority(other)).toBe(authority(box));
  }, 90_000);

  test('take it off: data, certificates and configuration stay', async () => {
    expect(await box.sh(block('Take it off'))).toMatch(/stays in/);
    expect(existsSync(box.path('usr/local/bin/tagkeep'))).toBe(false);
    expect(authority(box)).toContain('BEGIN CERTIFICATE');
    expect(existsSync(box.path('etc/tagkeep/appliance.config.json'))).toBe(true);
  }, 90_000);

  test('no block was left out', () => {
    const all = [...operate.matchAll(/```(?:sh|json)\n([\s\S]*?)```/g)].map(([, text]) => text);
    expect(all.filter((text) => text === undefined || !ran.has(text))).toEqual([]);
  });
});
