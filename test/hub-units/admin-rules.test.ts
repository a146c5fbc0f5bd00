import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webhookExample } from '../../src/contract/webhook.ts';
import { bytes } from '../../src/hub/pages/admin/amounts.ts';
import { pageOfResource } from '../../src/hub/pages/admin/audit-link.ts';
import { byUrgency } from '../../src/hub/pages/admin/by-urgency.ts';
import { filterConfiguration } from '../../src/hub/pages/admin/configuration-filter.ts';
import { differences } from '../../src/hub/pages/admin/difference.ts';
import { endOfDay } from '../../src/hub/pages/admin/end-of-day.ts';
import { bodyOf, draftOf, emptyDraft } from '../../src/hub/pages/admin/webhook-draft.ts';

describe('what an audit entry changed', () => {
  it('is told member by member, those that stayed the same left out', () => {
    const before = { name: 'Dock', size: { x: 1, y: 2 }, gone: true, tags: ['a'] };
    const after = { name: 'Dock 1', size: { x: 1, y: 3 }, tags: ['a', 'b'] };
    expect(differences(before, after)).toEqual([
      { member: 'name', before: 'Dock', after: 'Dock 1' },
      { member: 'size.y', before: '2', after: '3' },
      { member: 'gone', before: 'true' },
      { member: 'tags', before: 'a', after: 'a, b' },
    ]);
  });

  it('leaves out what has no value in something that was made', () => {
    expect(differences(undefined, { name: 'A', zoneIds: null, note: '' })).toEqual([
      { member: 'name', after: 'A' },
    ]);
    expect(differences({ zone: 'x' }, { zone: null })).toEqual([
      { member: 'zone', before: 'x', after: 'null' },
    ]);
  });

  it('is nothing between anything and itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => differences(value, value).length === 0));
  });
});

describe('the page of a resource', () => {
  it('is where it is shown, and nothing but plain ids gets into an address', () => {
    expect(pageOfResource('readers/5f0c-1')).toBe('/readers/5f0c-1');
    expect(pageOfResource('license')).toBe('/admin/licence');
    expect(pageOfResource('readers/a?b#c')).toBe('/readers');
    expect(pageOfResource('fields/colour')).toBeNull();
    expect(pageOfResource('constructor')).toBeNull();
  });
});

describe('the end of a day', () => {
  it('is its last second in the zone, in summer and in winter', () => {
    expect(endOfDay('2026-07-01', 'Europe/Berlin')).toBe('2026-07-01T21:59:59.000Z');
    expect(endOfDay('2026-01-01', 'Europe/Berlin')).toBe('2026-01-01T22:59:59.000Z');
    expect(endOfDay('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29T21:59:59.000Z');
    expect(endOfDay('2026-01-01', 'Pacific/Kiritimati')).toBe('2026-01-01T09:59:59.000Z');
  });

  it('is null of what is no day', () => {
    expect(endOfDay('soon', 'UTC')).toBeNull();
  });
});

describe('the form of a subscription', () => {
  it('sends back what it was given', () => {
    expect(bodyOf(draftOf(webhookExample))).toEqual({
      url: webhookExample.url,
      types: webhookExample.types,
      ...{ severities: ['critical'], zoneIds: null, caPem: null },
    });
  });

  it('takes addresses in lines, with commas or semicolons', () => {
    const body = bodyOf({ ...emptyDraft, way: 'mail', emailTo: ' a@x.org\nb@x.org; c@x.org,,' });
    expect(body).toMatchObject({ emailTo: ['a@x.org', 'b@x.org', 'c@x.org'] });
    expect(body).not.toHaveProperty('url');
    expect(body).not.toHaveProperty('caPem');
  });
});

describe('what the appliance tells of itself', () => {
  it('has the worst findings first and the good ones apart', () => {
    const levels = ['ok', 'note', 'fault', 'warning', 'fault'] as const;
    const { urgent, good } = byUrgency(levels.map((level) => ({ check: level, level, text: '' })));
    expect(urgent.map(({ key }) => key)).toEqual(['fault 2', 'fault 4', 'warning 3', 'note 1']);
    expect(good).toHaveLength(1);
  });

  it('is found by words in any case and any order', () => {
    const entry = {
      key: 'https.port',
      value: '443',
      default: '8443',
      isDefault: false,
      help: 'Port of HTTPS',
    };
    const other = { ...entry, key: 'log.level', help: 'Least important', value: 'info', isDefault: true };
    const found = (words: string, changedOnly = false) =>
      filterConfiguration([entry, other], { words, changedOnly }).map(({ key }) => key);
    expect(found('PORT https')).toEqual(['https.port']);
    expect(found('', true)).toEqual(['https.port']);
    expect(found(' ')).toHaveLength(2);
  });

  it('says sizes in units of a thousand', () => {
    expect(bytes(999, 'en')).toBe('999 bytes');
    expect(bytes(41_200_332, 'en')).toBe('41 MB');
    expect(bytes(1_500_000, 'de')).toBe('1,5 MB');
    expect(bytes(10 ** 17, 'en')).toBe('100,000 TB');
  });
});
