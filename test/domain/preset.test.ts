import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultAntenna, searchModes } from '../../src/domain/antenna.ts';
import { limits } from '../../src/domain/limits.ts';
import { effectivePowerCdbm, presetOf } from '../../src/domain/preset.ts';

const antenna = (port: number, settings: object = {}) => ({ port, ...defaultAntenna, ...settings });

describe('the power a reader really sends with', () => {
  test.each([
    [1000, 1000],
    [1024, 1000],
    [1025, 1025],
    [2999, 2975],
    [3000, 3000],
    [3150, 3150],
    [3300, 3300],
  ])("%i is rounded down to %i, the reader's step of 25", (asked, effective) => {
    expect(effectivePowerCdbm(asked)).toBe(effective);
  });

  test('is never more than asked, and less by under one step', () => {
    fc.assert(
      fc.property(fc.integer({ min: limits.powerMinCdbm, max: limits.powerMaxCdbm }), (asked) => {
        const effective = effectivePowerCdbm(asked);
        expect(effective % 25).toBe(0);
        expect(asked - effective).toBeGreaterThanOrEqual(0);
        expect(asked - effective).toBeLessThan(25);
      }),
    );
  });
});

describe('the preset of four antennas', () => {
  test('has one configuration for each port that is on, in the words of the reader, by port', () => {
    const antennas = [
      antenna(3, {
        transmitPowerCdbm: 2410,
        inventorySession: 1,
        searchMode: 'single-target',
        tagPopulation: 7,
      }),
      antenna(2, { enabled: false }),
      antenna(1),
    ];
    expect(presetOf(antennas)?.antennaConfigs).toEqual([
      {
        antennaPort: 1,
        transmitPowerCdbm: 3000,
        inventorySession: 2,
        inventorySearchMode: 'dual-target',
        estimatedTagPopulation: 128,
      },
      {
        antennaPort: 3,
        transmitPowerCdbm: 2400,
        inventorySession: 1,
        inventorySearchMode: 'single-target',
        estimatedTagPopulation: 7,
      },
    ]);
  });

  test('with every port off there is none', () => {
    expect(presetOf([1, 2, 3, 4].map((port) => antenna(port, { enabled: false })))).toBeNull();
  });

  test('asks for what the service needs of a read: EPC, time, port and strength', () => {
    expect(presetOf([antenna(1)])?.eventConfig.tagInventory).toMatchObject({
      epcHex: 'enabled',
      lastSeenTime: 'enabled',
      antennaPort: 'enabled',
      peakRssiCdbm: 'enabled',
    });
  });

  test('does not depend on zones: mapping a port is no change for the reader', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...searchModes), (zoneId, searchMode) => {
        expect(presetOf([antenna(1, { searchMode, zoneId })])).toEqual(
          presetOf([antenna(1, { searchMode })]),
        );
      }),
    );
  });
});
