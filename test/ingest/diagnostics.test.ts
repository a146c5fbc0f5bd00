import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';

const bad = (reason: string, payload = Buffer.from('x')) => ({ at: 1, reasons: [reason], count: 1, payload });

describe('bad payloads', () => {
  it('keep the last 20 of each device, oldest first, and count all of them', () => {
    const diagnostics = new Diagnostics();
    for (let i = 1; i <= 50; i++) diagnostics.reject('R', bad(`reason ${i}`));
    diagnostics.reject('S', bad('other'));
    const { rejected, badPayloads } = diagnostics.of('R');
    expect([rejected, badPayloads.length]).toEqual([50, 20]);
    expect([badPayloads[0]?.reason, badPayloads.at(-1)?.reason]).toEqual(['reason 31', 'reason 50']);
    expect(diagnostics.of('S').badPayloads).toEqual([{ at: 1, reason: 'other', excerpt: 'x' }]);
  });

  it('keep 512 bytes of the payload, whatever the bytes', () => {
    const diagnostics = new Diagnostics();
    diagnostics.reject('R', bad('long', Buffer.alloc(100_000, 'a')));
    diagnostics.reject('R', bad('binary', Buffer.from([0xff, 0xfe, 0, 1])));
    diagnostics.reject('R', bad('cut within a character', Buffer.from(`a${'é'.repeat(1000)}`)));
    expect(diagnostics.of('R').badPayloads.map(({ excerpt }) => Buffer.byteLength(excerpt) <= 514)).toEqual([
      true,
      true,
      true,
    ]);
    expect(diagnostics.of('R').badPayloads[0]?.excerpt).toBe('a'.repeat(512));
  });

  it('of one message with many faults keep the reasons handed in and count all', () => {
    const diagnostics = new Diagnostics();
    diagnostics.reject('R', { at: 1, reasons: ['one', 'two'], count: 400, payload: Buffer.from('x') });
    expect(diagnostics.of('R')).toMatchObject({
      rejected: 400,
      badPayloads: [{ reason: 'one' }, { reason: 'two' }],
    });
  });
});

describe('counters', () => {
  it('begin at nothing and are listed by serial', () => {
    const diagnostics = new Diagnostics();
    diagnostics.of('R').messages++;
    expect(
      [...diagnostics.all()].map(([serial, { messages, clockAheadMs }]) => [serial, messages, clockAheadMs]),
    ).toEqual([['R', 1, null]]);
  });
});
