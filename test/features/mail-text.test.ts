import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { localTime } from '../../src/features/webhooks/local-time.ts';
import type { ToldEvent } from '../../src/features/webhooks/mail-sentence.ts';
import { type MailTextOptions, mailText } from '../../src/features/webhooks/mail-text.ts';
import { codePoint } from '../support/code-point.ts';

const at = Date.UTC(2026, 2, 2, 13, 3, 22);
const epc = '3034257BF468D480000003E8';
const zones = new Map([['z1', 'Dock 1']]);
const options: MailTextOptions = {
  names: {
    zone: (id) => zones.get(id) ?? null,
    asset: (id) => (id === 'a1' ? { name: 'Pump 7', assetTagNumber: 'P-7' } : null),
  },
  more: 0,
  webhookId: 'w1',
};
const moved = (data: object = {}): ToldEvent => ({
  ...{ type: 'tag_moved', at },
  data: { epc, label: 'Pump 7', fromZoneId: 'z1', toZoneId: 'z2', zoneName: 'Shelf B', ...data },
});
const alert = (severity: string, message: string): ToldEvent => ({
  ...{ type: 'alert_opened', at },
  data: { state: 'open', severity, message },
});
const asset = (kind: string, more: object = {}, assetId = 'a1'): ToldEvent => ({
  type: `asset_${kind}` as 'asset_created',
  at,
  data: { assetId, kind, meta: {}, ...more },
});

beforeEach(() => void vi.stubEnv('TZ', 'Europe/Berlin'));
afterEach(() => void vi.unstubAllEnvs());

describe('what is said', () => {
  test.each<readonly [string, ToldEvent, string]>([
    ['a move', moved(), `Pump 7 (${epc}) moved from Dock 1 to Shelf B.`],
    ['a first place', moved({ fromZoneId: undefined }), `Pump 7 (${epc}) is now in Shelf B.`],
    ['a move from a zone that is gone', moved({ fromZoneId: 'z9' }), `Pump 7 (${epc}) is now in Shelf B.`],
    ['a tag without a name', moved({ label: undefined }), `${epc} moved from Dock 1 to Shelf B.`],
    [
      'a custodian',
      asset('check_out', { meta: { custodian: 'R. Ortiz' } }),
      'Pump 7 (P-7) was checked out to R. Ortiz.',
    ],
    [
      'when it is expected back',
      asset('check_out', { meta: { expectedReturnAt: '2026-03-02T17:00:00.000Z' } }),
      'Pump 7 (P-7) was checked out, expected back 2026-03-02 18:00:00 (UTC+1).',
    ],
    ['a return', asset('check_in', { meta: { custodian: 'Kim' } }), 'Pump 7 (P-7) was checked in by Kim.'],
    ['a zone entered', asset('zone_enter', { zoneName: 'Hall' }), 'Pump 7 (P-7) came into Hall.'],
    ['a zone left', asset('zone_exit', { zoneName: 'Hall' }), 'Pump 7 (P-7) left Hall.'],
    ['a missing asset', asset('marked_missing'), 'Pump 7 (P-7) is missing.'],
    ['an asset that is gone', asset('found', {}, 'a9'), 'Asset a9 was found.'],
    [
      'an edit',
      asset('created', { meta: { updated: true, changes: { name: { from: 'A', to: 'B' } } } }),
      'Pump 7 (P-7) was changed: name from "A" to "B".',
    ],
    [
      'times in an alert as local ones',
      alert(
        'critical',
        'Reader "R" (1) is offline: why. Last heard of at 2026-03-02T13:00:00.123Z. Check it.',
      ),
      'Alert, critical: Reader "R" (1) is offline: why. Last heard of at 2026-03-02 14:00:00 (UTC+1). Check it.',
    ],
  ])('%s', (_, event, said) => {
    expect(mailText([event], options).text).toContain(`2026-03-02 14:03:22 (UTC+1): ${said}\n`);
  });

  test('all of it in order, and how much more waits', () => {
    const { text } = mailText([moved({ label: 'A' }), moved({ label: 'B' })], { ...options, more: 12 });
    expect(text.indexOf('A (')).toBeLessThan(text.indexOf('B ('));
    expect(text).toContain('12 more wait');
  });

  test('whole and half hours east and west of UTC', () => {
    const zones = { UTC: 'UTC', 'Asia/Kolkata': 'UTC+5:30', 'America/St_Johns': 'UTC-3:30' };
    for (const [name, said] of Object.entries(zones)) {
      vi.stubEnv('TZ', name);
      expect(localTime(at)).toMatch(new RegExp(`\\(${said.replace('+', '\\+')}\\)$`));
    }
  });
});

describe('the subject', () => {
  const hot = alert('warning', 'Reader "B" (2) is running hot: 80 °C at noon. Check it.');
  const offline = alert('critical', 'Reader "A" (1) is offline: why. Check it.');

  test('names the worst of it, whatever came first, and how many there are', () => {
    expect(mailText([moved(), hot, offline], options).subject).toBe(
      'Tagkeep: Alert, critical: Reader "A" (1) is offline (and 2 more)',
    );
    expect(mailText([moved(), hot], { ...options, more: 5 }).subject).toBe(
      'Tagkeep: Alert, warning: Reader "B" (2) is running hot (and 6 more)',
    );
    expect(mailText([moved()], options).subject).toBe(
      `Tagkeep: Pump 7 (${epc}) moved from Dock 1 to Shelf B`,
    );
  });

  test('is one short line, whatever names hold', () => {
    const nasty = fc.string({ unit: codePoint, maxLength: 300 });
    const breaks = fc.constantFrom(
      '\r\nBcc: all@example.org\r\n\r\n',
      '\u2028',
      '\ud800',
      '\u202eevil',
      '🚜'.repeat(200),
    );
    fc.assert(
      fc.property(fc.oneof(nasty, breaks), fc.oneof(nasty, breaks), (label, zoneName) => {
        const { subject, text } = mailText([moved({ label, zoneName }), alert('warning', label)], options);
        expect(subject).toMatch(/^[^\p{Cc}\p{Cs}\u2028\u2029\u202e]{1,160}$/u);
        // Each event is one paragraph of one line.
        expect(text.split('\n')).toHaveLength(7);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e]/u);
      }),
    );
  });
});
