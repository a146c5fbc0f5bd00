import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCommand } from '../../src/agent/decode-command.ts';
import { acknowledgementSchema } from '../../src/contract/command.ts';

const ID = '8d4c2b1a-0f9e-4d8c-9b7a-6f5e4d3c2b1a';
const decode = (message: unknown) => decodeCommand(Buffer.from(JSON.stringify(message)));
const antennaConfigs = [{ antennaPort: 1 }];

describe('a message on the commands topic', () => {
  it.each([
    [
      { kind: 'start', id: ID, no: 7, preset: 'p1' },
      { kind: 'start', id: ID, no: 7, preset: 'p1' },
    ],
    [
      { kind: 'start', id: ID },
      { kind: 'start', id: ID, no: null, preset: 'svc-default' },
    ],
    [
      { kind: 'start', id: ID, no: '7', preset: null },
      { kind: 'start', id: ID, no: null, preset: 'svc-default' },
    ],
    [
      { kind: 'stop', id: ID.toUpperCase(), more: 1 },
      { kind: 'stop', id: ID, no: null },
    ],
    [
      { kind: 'push-config', id: ID, preset: { antennaConfigs } },
      { kind: 'push-config', id: ID, no: null, preset: { antennaConfigs } },
    ],
  ])('is a command: %j', (message, command) => {
    expect(decode(message)).toEqual({ kind: 'command', command });
  });

  it.each([
    [{ kind: 'reboot', id: ID }, 'unknown command: kind is "reboot"'],
    [{ id: ID }, 'unknown command: kind is missing'],
    [{ kind: 'start', id: ID, preset: '../stop' }, 'preset must be the name of a preset'],
    [{ kind: 'start', id: ID, preset: '..' }, 'preset must be the name of a preset'],
    [{ kind: 'start', id: ID, preset: '' }, 'preset must be the name of a preset'],
    [{ kind: 'start', id: ID, preset: 7 }, 'preset must be the name of a preset'],
    [{ kind: 'push-config', id: ID }, 'at least one antenna'],
    [{ kind: 'push-config', id: ID, preset: { antennaConfigs: [] } }, 'at least one antenna'],
    [{ kind: 'push-config', id: ID, preset: { antennaConfigs: [null] } }, 'at least one antenna'],
  ])('is refused with a reason when its id can be read: %j', (message, reason) => {
    expect(decode(message)).toMatchObject({
      kind: 'refused',
      id: ID,
      reason: expect.stringContaining(reason),
    });
  });

  it.each([
    ['null'],
    ['[]'],
    ['{'],
    [''],
    ['"stop"'],
    ['{"kind":"stop"}'],
    ['{"kind":"stop","id":"7"}'],
    ['\xff'],
  ])('is dropped when nobody can be answered: %s', (text) => {
    expect(decodeCommand(Buffer.from(text, 'latin1')).kind).toBe('dropped');
  });

  it('is dropped when it is over 64 kB', () => {
    const message = { kind: 'stop', id: ID, padding: 'x'.repeat(65_536) };
    expect(decode(message)).toMatchObject({
      kind: 'dropped',
      reason: expect.stringContaining('65536 are allowed'),
    });
  });

  it('is always answered in a form that the contract accepts, and never throws', () => {
    const id = fc.oneof(fc.constant(ID), fc.uuid(), fc.string());
    const kind = fc.oneof(fc.constantFrom('start', 'stop', 'push-config'), fc.string(), fc.anything());
    const odd = fc.record({ id, kind, preset: fc.anything() }, { requiredKeys: [] });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.oneof(odd, fc.jsonValue()).map((value) => Buffer.from(JSON.stringify(value, withoutBigInts) ?? '')),
    );
    fc.assert(
      fc.property(bytes, (payload) => {
        const decoded = decodeCommand(payload);
        if (decoded.kind === 'dropped') {
          expect(decoded.reason).not.toContain('\n');
          return;
        }
        const answered = decoded.kind === 'refused' ? decoded.id : decoded.command.id;
        const error = decoded.kind === 'refused' ? decoded.reason : null;
        const ack = { id: answered, ok: error === null, error, status: null };
        expect(acknowledgementSchema.parse(ack)).toEqual(ack);
      }),
      { numRuns: 1000 },
    );
  });
});

function withoutBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
