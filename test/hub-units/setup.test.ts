import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readerExample } from '../../src/contract/reader.ts';
import type { HubEvent } from '../../src/hub/live/batch.ts';
import { brokerAt, isLoopback } from '../../src/hub/pages/setup/broker-address.ts';
import { passed, withEvents } from '../../src/hub/pages/setup/checklist.ts';
import { doneSteps, FIRST_ORGANISATION, firstOpen } from '../../src/hub/pages/setup/steps.ts';
import { tarOf } from '../../src/hub/pages/setup/tar.ts';
import { TEMPLATE_MAX, zonesOf } from '../../src/hub/pages/setup/zone-template.ts';

describe('an archive', () => {
  test('is unpacked by tar, whatever the files say, with mode and time', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tagkeep-tar-'));
    try {
      fc.assert(
        fc.property(fc.array(fc.string({ maxLength: 2000, unit: 'grapheme' }), { maxLength: 4 }), (texts) => {
          const files = texts.map((text, at) => ({ name: `file-${at}`, text, mode: at % 2 ? 0o600 : 0o644 }));
          writeFileSync(join(dir, 'all.tar'), tarOf(files, 1_772_000_000_000));
          execFileSync('tar', ['-xpf', 'all.tar'], { cwd: dir });
          for (const { name, text, mode } of files) {
            const { mode: got, mtimeMs } = statSync(join(dir, name));
            expect(readFileSync(join(dir, name), 'utf8')).toBe(Buffer.from(text).toString('utf8'));
            expect([got & 0o777, mtimeMs]).toEqual([mode, 1_772_000_000_000]);
          }
        }),
        { numRuns: 15 },
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('zones of a template', () => {
  const names = {
    door: (no: number) => `Door ${no}`,
    shelf: (no: number) => `Shelf ${no}`,
    staging: 'Staging',
  };

  test('leave out names that are taken, in whatever case', () => {
    const made = zonesOf({ doors: 2, shelves: 1, hasStaging: true, ...names }, ['door 1 ', 'STAGING']);
    expect(made.map(({ name, kind }) => [name, kind])).toEqual([
      ['Door 2', 'portal'],
      ['Shelf 1', 'storage'],
    ]);
  });

  test('are no more than the limit of each, and none for less than none', () => {
    expect(zonesOf({ doors: 1e9, shelves: -3, hasStaging: false, ...names }, [])).toHaveLength(TEMPLATE_MAX);
  });
});

describe('the steps', () => {
  const begun = {
    ...{ mustChangePassword: true, organisation: FIRST_ORGANISATION, zones: 0, readers: 0 },
    ...{ mappedPorts: 0, reads: false },
  };

  test('go on with the first that is not done', () => {
    expect(firstOpen(doneSteps(begun))).toBe('password');
    expect(firstOpen(doneSteps({ ...begun, mustChangePassword: false }))).toBe('place');
    const named = { ...begun, mustChangePassword: false, organisation: 'Acme' };
    expect(firstOpen(doneSteps(named))).toBe('zones');
    expect(firstOpen(doneSteps({ ...named, zones: 1, readers: 1 }))).toBe('ports');
    expect(firstOpen(doneSteps({ ...named, zones: 1, readers: 1, mappedPorts: 1, reads: true }))).toBe(
      'check',
    );
  });
});

describe('the checks', () => {
  const read = (readerId: string, zoneId?: string): HubEvent => ({
    type: 'tag_read',
    data: {
      ...{
        epc: 'E2000001',
        tagId: 't',
        readerId,
        antennaPort: 1,
        lastSeen: '2026-03-02T09:15:37.412Z',
        readCount: 1,
      },
      ...(zoneId && { zoneId, zoneName: 'Dock' }),
    },
  });
  const none = { read: null, inZone: null };

  test('take reads of the reader alone, and a zone only where the port has one', () => {
    expect(withEvents(none, [read('other', 'z')], 'own')).toBe(none);
    const first = withEvents(none, [read('own')], 'own');
    expect([first.read?.readerId, first.inZone]).toEqual(['own', null]);
    expect(withEvents(first, [read('own', 'z')], 'own').inZone?.zoneName).toBe('Dock');
  });

  test('a reader that is not connected has neither agent nor radio', () => {
    const away = { ...readerExample, brokerStatus: 'disconnected' as const };
    expect(passed(away, none)).toEqual({
      connected: false,
      agent: false,
      radio: false,
      read: false,
      zone: false,
    });
    expect(passed(readerExample, none)).toMatchObject({ connected: true, agent: true, radio: true });
    expect(passed({ ...readerExample, offlineReason: 'radio-idle' }, none).radio).toBe(false);
  });
});

describe('the address a reader is given', () => {
  test('has the port of the configuration, and the usual one where none is set', () => {
    expect(brokerAt('box.example', '9883')).toBe('mqtts://box.example:9883');
    expect(brokerAt('[fd00::5]', undefined)).toBe('mqtts://[fd00::5]:8883');
    expect(brokerAt('10.0.0.5', '0')).toBe('mqtts://10.0.0.5:8883');
  });

  test('is not the name by which the appliance calls itself', () => {
    expect(['localhost', '127.0.0.1', '[::1]', 'hub.localhost', 'LOCALHOST'].every(isLoopback)).toBe(true);
    expect(['localhost.example', '10.0.0.127', 'box', '[::12]'].some(isLoopback)).toBe(false);
  });
});
