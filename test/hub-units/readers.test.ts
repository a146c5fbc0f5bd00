import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Antenna, antennaChangesSchema, antennaExample } from '../../src/contract/antenna.ts';
import { presetNotFound, saysPresetNotFound } from '../../src/contract/preset.ts';
import { readerExample } from '../../src/contract/reader.ts';
import { readerDiagnosticsExample } from '../../src/contract/reader-diagnostics.ts';
import { searchModes } from '../../src/domain/antenna.ts';
import { limits } from '../../src/domain/limits.ts';
import {
  changesOf,
  type Draft,
  edited,
  faultsOf,
  fieldsOf,
  isEdited,
  ranges,
  searchModes as shownModes,
} from '../../src/hub/pages/readers/antenna-draft.ts';
import { failureKind } from '../../src/hub/pages/readers/command-failure.ts';
import { ENDS_SOON_MS, problemsOf } from '../../src/hub/pages/readers/reader-problems.ts';

const antenna: Antenna = antennaExample;
const none: Draft = {};

describe('the antenna form', () => {
  test('has the ranges of the interface', () => {
    expect(ranges.powerDbm).toEqual({ min: limits.powerMinCdbm / 100, max: limits.powerMaxCdbm / 100 });
    expect(ranges.session.max).toBe(limits.inventorySessionMax);
    expect(ranges.population.max).toBe(limits.tagPopulationMax);
    expect(shownModes).toEqual(searchModes);
  });

  test('sends exactly what the interface takes, when it finds no fault', () => {
    const power = fc.oneof(fc.string(), fc.double({ noNaN: true, min: 0, max: 40 }), fc.constant(27.1));
    const population = fc.oneof(fc.string(), fc.integer({ min: -5, max: 40_000 }), fc.constant(1.5));
    fc.assert(
      fc.property(power, population, fc.boolean(), (powerDbm, tags, enabled) => {
        const draft = edited(none, antenna, { powerDbm, population: tags, enabled });
        if (faultsOf([antenna], draft).length > 0) return;
        expect(antennaChangesSchema.safeParse(changesOf([antenna], draft)).success).toBe(true);
      }),
    );
  });

  test('refuses what is out of range or no number', () => {
    const faults = (edit: Parameters<typeof edited>[2]) => faultsOf([antenna], edited(none, antenna, edit));
    expect(faults({ powerDbm: 9.99 })).toEqual([{ port: 1, field: 'powerDbm' }]);
    expect(faults({ powerDbm: '' })).toEqual([{ port: 1, field: 'powerDbm' }]);
    expect(faults({ population: 32_769 })).toEqual([{ port: 1, field: 'population' }]);
    expect(faults({ powerDbm: 33, population: 1 })).toEqual([]);
  });

  test('forgets an edit that is taken back, and sends the zone even where it was not touched', () => {
    const draft = edited(none, antenna, { powerDbm: 27 });
    expect(changesOf([antenna], draft)).toEqual([
      { port: 1, zoneId: antenna.zoneId, transmitPowerCdbm: 2700 },
    ]);
    expect(isEdited(edited(draft, antenna, { powerDbm: fieldsOf(antenna).powerDbm }))).toBe(false);
  });
});

describe('problems of a reader', () => {
  const now = Date.parse('2026-03-02T09:15:38.000Z');

  test('a reader that reads has none', () => {
    expect(problemsOf({ reader: readerExample, now })).toEqual([]);
  });

  test('every reason is named, and all ports off is not somebody’s stop', () => {
    const off = { ...readerExample, status: 'disabled' as const, displayStatus: 'Online and Idle' as const };
    const stopped = { ...off, offlineReason: 'stopped' as const };
    expect(problemsOf({ reader: { ...stopped, enabled: false }, now })).toEqual(['stopped']);
    expect(problemsOf({ reader: { ...stopped, enabled: true }, now })).toEqual(['ports-off']);
    const silent = { ...stopped, offlineReason: 'no-data' as const };
    expect(problemsOf({ reader: silent, now })).toEqual(['no-data']);
  });

  test('heat, clock, certificate and bad messages are told beside it', () => {
    const reader = { ...readerExample, temperatureC: 80, commandsSupported: false };
    const certificate = {
      ...{ serialNumber: 'A', notBefore: new Date(0).toISOString() },
      notAfter: new Date(now + ENDS_SOON_MS - 1).toISOString(),
    };
    const diagnostics = { ...readerDiagnosticsExample, certificate, clockSkewMs: -6000 };
    expect(problemsOf({ reader, diagnostics, now })).toEqual([
      ...['no-agent', 'hot', 'certificate-ends', 'skew', 'bad-payloads'],
    ]);
  });
});

describe('why a command failed', () => {
  test.each([
    ['timeout', 'timeout'],
    [presetNotFound, 'preset'],
    ['permission denied (wrong reader REST credentials)', 'permission'],
    ["the reader's local interface: nobody listens there (ECONNREFUSED), 3 times", 'unreachable'],
    ['already started', 'started'],
    ['the agent failed: out of memory', 'agent'],
    ['Antenna 7 is on fire', 'other'],
  ])('%s', (error, kind) => {
    expect(failureKind(error)).toBe(kind);
  });

  test.each([presetNotFound, `Preset NOT found: svc-default`, 'no preset', 'not found', ''])(
    'the hub and the service agree whether it is a missing preset: %j',
    (error) => {
      expect(failureKind(error) === 'preset').toBe(saysPresetNotFound(error));
    },
  );
});
