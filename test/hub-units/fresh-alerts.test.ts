import { describe, expect, it } from 'vitest';
import { alertExample } from '../../src/contract/alert.ts';
import { freshAlerts, stillChosen, withChoice } from '../../src/hub/pages/alerts/fresh-alerts.ts';

const a = { ...alertExample, id: 'a' };
const b = { ...alertExample, id: 'b' };

describe('alerts that are told of', () => {
  it('are none at the first look', () => {
    expect(freshAlerts(null, [a, b])).toEqual([]);
  });

  it('are those that were not there before, in their order', () => {
    expect(freshAlerts(new Set(['a']), [b, a])).toEqual([b]);
    expect(freshAlerts(new Set(), [b, a])).toEqual([b, a]);
    expect(freshAlerts(new Set(['a', 'b']), [a])).toEqual([]);
  });
});

describe('alerts that are chosen', () => {
  it('are only those that are still in the list', () => {
    expect(stillChosen(new Set(['a', 'gone']), [b, a])).toEqual([a]);
  });

  it('come and go without changing the set there was', () => {
    const before: ReadonlySet<string> = new Set(['a']);
    expect([...withChoice(before, 'b', true)]).toEqual(['a', 'b']);
    expect([...withChoice(before, 'a', false)]).toEqual([]);
    expect([...before]).toEqual(['a']);
  });
});
