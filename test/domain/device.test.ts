import { describe, expect, it } from 'vitest';
import { isInService, outOfService } from '../../src/domain/device.ts';

const standing = { state: 'claimed', dataRevoked: false, connectRevoked: false };

describe('a device', () => {
  it.each([
    ['claimed', {}, null, true],
    ['registered', { state: 'registered' }, null, false],
    ['released', { state: 'released' }, null, false],
    ['withdrawn', { state: 'withdrawn', dataRevoked: true }, 'withdrawn', false],
    ['revoked in the service', { dataRevoked: true }, 'revoked', false],
    ['revoked on the broker', { connectRevoked: true }, 'revoked', false],
  ])('that is %s is in service or says why it is out of it', (...[, more, why, is]) => {
    const device = { ...standing, ...more };
    expect([outOfService(device), isInService(device)]).toEqual([why, is]);
  });
});
