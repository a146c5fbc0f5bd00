import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AckOutbox } from '../../src/agent/ack-outbox.ts';
import { refusalOf } from '../../src/agent/local-reader.ts';
import { AgentUsageError, agentOptions } from '../../src/agent/options.ts';
import { quietLog } from '../../src/agent/quiet-log.ts';
import { abilitiesOf, defaultSettings, isSamePreset, withRfMode } from '../../src/agent/reader-preset.ts';
import { StateFile } from '../../src/agent/state-file.ts';
import type { LinkMessage } from '../../src/device/broker-link.ts';
import { Delivery } from '../../src/device/delivery.ts';
import { presetFault, presetSchema } from '../../src/simulator/local-preset-schema.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-agent-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('options of the agent', () => {
  it('are those of an agent on a reader when nothing is typed', () => {
    expect(agentOptions({})).toEqual({
      ...{ dir: '/cust/rw_dir', broker: null, reader: 'https://127.0.0.1' },
      ...{ forwardEvents: false, bufferBytes: 16 * 1024 * 1024 },
    });
  });

  it.each([
    [{ broker: 'mqtt://h:1883' }, '--broker is "mqtt://h:1883"'],
    [{ broker: 'mqtts://h:8883/path' }, '--broker is'],
    [{ broker: '' }, '--broker is ""'],
    [{ reader: 'http://10.0.0.1' }, '--reader is "http://10.0.0.1"'],
    [{ reader: 'https://h/api' }, '--reader is'],
    [{ reader: 'https://user:secret@h' }, '--reader is'],
    [{ bufferMb: '0' }, '--buffer-mb is "0"'],
    [{ bufferMb: '1.5' }, '--buffer-mb is "1.5"'],
    [{ bufferMb: 'x' }, '--buffer-mb is "x"'],
  ])('are refused by name: %j', (typed, line) => {
    expect(() => agentOptions(typed)).toThrow(AgentUsageError);
    expect(() => agentOptions(typed)).toThrow(line);
  });

  it.each(['https://127.0.0.1:8443/', 'http://localhost:80', 'http://[::1]:81'])(
    'take %s for the reader',
    (reader) => {
      expect(agentOptions({ reader }).reader).toBe(new URL(reader).origin);
    },
  );
});

describe('the preset the agent makes', () => {
  it('is what the contract says, as far as the reader goes', () => {
    const abilities = abilitiesOf(presetSchema);
    expect(abilities).toEqual({ rfMode: 1002, powerMaxCdbm: 3150, antennaPorts: 4 });
    const whole = withRfMode(defaultSettings(abilities), abilities.rfMode);
    expect(presetFault(whole)).toBeNull();
    const weak = defaultSettings({ ...abilities, powerMaxCdbm: 2975, antennaPorts: 2 });
    expect(weak.antennaConfigs.map(({ transmitPowerCdbm }) => transmitPowerCdbm)).toEqual([2975, 2975]);
  });

  it.each([
    [{ enum: [4, 1003, 120] }, 1003],
    [{ enum: [120, 141] }, 120],
    [{ enum: [120, 141], default: 141 }, 141],
    [{ oneOf: [{ const: 3 }, { const: 1004 }] }, 1004],
    [{ anyOf: [{ enum: [5] }] }, 5],
    [{ type: 'integer' }, 1002],
  ])('has an rfMode that the schema allows: %j', (rfMode, expected) => {
    const item = { properties: { rfMode, transmitPowerCdbm: { maximum: 3010 } } };
    const schema = { definitions: { rfMode: 'text' }, properties: { antennaConfigs: { items: item } } };
    expect(abilitiesOf(schema)).toMatchObject({ rfMode: expected, powerMaxCdbm: 3000 });
  });

  it.each([null, [], 'x', { rfMode: 7 }])(
    'takes what every reader takes when the schema says nothing: %j',
    (schema) => {
      expect(abilitiesOf(schema)).toEqual({ rfMode: 1002, powerMaxCdbm: 3150, antennaPorts: 4 });
    },
  );

  it('is the same whatever the order of its members, and never the same when one differs', () => {
    expect(isSamePreset({ a: 1, b: [{ c: 2, d: undefined }] }, { b: [{ c: 2 }], a: 1 })).toBe(true);
    expect(isSamePreset({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(isSamePreset({ a: 1 }, null)).toBe(false);
  });
});

describe("the reader's words", () => {
  it.each([
    [{ status: 403, body: { message: 'no' } }, 'permission denied (wrong reader REST credentials)'],
    [{ status: 400, body: null }, 'the reader answers HTTP 400'],
    [{ status: 400, body: { message: 7, detail: '' } }, 'the reader answers HTTP 400'],
    [{ status: 400, body: { message: 'a\n\u0000 b', detail: 'c\ud800' } }, 'a b: c'],
    [{ status: 400, body: { message: `${'x'.repeat(299)}\u{1F600}` } }, 'x'.repeat(299)],
  ])('are one line without surprises: %j', (answer, line) => {
    expect(refusalOf(answer)).toBe(line);
  });
});

describe('what the agent remembers', () => {
  const state = { preset: { antennaConfigs: [{ antennaPort: 1 }] }, resume: 'p' };

  it('is there after a restart, for the agent alone', () => {
    const file = join(dir, 'agent', 'state.json');
    // As far as it matters here, a preset.
    new StateFile(file, () => {}).save(state as never);
    expect(new StateFile(file, () => {}).load()).toEqual(state);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it.each(['', '{', 'null', '{"preset":7,"resume":7}', '[]'])(
    'is nothing when the file is broken: %s',
    (text) => {
      const file = join(dir, 'state.json');
      writeFileSync(file, text);
      expect(new StateFile(file, () => {}).load()).toEqual({ preset: null, resume: null });
    },
  );

  it('is forgotten with one line when it cannot be written, until it can again', () => {
    writeFileSync(join(dir, 'agent'), '');
    const lines: string[] = [];
    const file = new StateFile(join(dir, 'agent', 'state.json'), (line) => lines.push(line));
    for (const resume of ['a', 'b', 'c']) file.save({ preset: null, resume });
    expect(lines).toEqual([expect.stringContaining('state.json: cannot be written')]);
    rmSync(join(dir, 'agent'));
    file.save({ preset: null, resume: 'd' });
    expect(readFileSync(join(dir, 'agent', 'state.json'), 'utf8')).toContain('"resume":"d"');
  });
});

describe('the log of the agent', () => {
  it('says the same once a minute, and how often it was left out', () => {
    const lines: string[] = [];
    let now = 0;
    const log = quietLog(
      (line) => lines.push(line),
      () => now,
    );
    for (let n = 0; n < 5; n++) log('a');
    log('b');
    now = 60_000;
    log('a');
    expect(lines).toEqual(['a', 'b', 'a (and 4 times more before)']);
  });
});

describe('answers on their way', () => {
  class Link {
    connected = false;
    readonly sent: { message: LinkMessage; done: (error?: Error) => void }[] = [];
    publish(message: LinkMessage, done: (error?: Error) => void): void {
      this.sent.push({ message, done });
    }
  }
  const ack = (id: string, ok = true) => ({ id, ok, error: null, status: null });

  it('wait for the connection, the newest for each command, 64 at most, and leave one at a time', () => {
    const link = new Link();
    const outbox = new AckOutbox(new Delivery(link), 't');
    for (let n = 0; n < 70; n++) outbox.push(ack(`id-${n}`));
    outbox.push(ack('id-69', false));
    expect(link.sent).toHaveLength(0);
    link.connected = true;
    outbox.pump();
    for (let at = 0; at < link.sent.length; at++) link.sent[at]?.done();
    const ids = link.sent.map(({ message }) => JSON.parse(message.payload));
    expect(ids.map(({ id }) => id)).toEqual(Array.from({ length: 64 }, (_, n) => `id-${n + 6}`));
    expect(ids.at(-1)).toEqual(ack('id-69', false));
  });

  it('go again as duplicates under the same identifier until they are acknowledged', () => {
    const link = new Link();
    link.connected = true;
    const delivery = new Delivery(link);
    let delivered = 0;
    for (const text of ['a', 'b']) delivery.send('t', text, () => (delivered += 1));
    link.sent[0]?.done();
    link.sent[1]?.done(new Error('connection closed'));
    delivery.reopened();
    expect(link.sent.map(({ message }) => [message.payload, message.id, message.dup])).toEqual([
      ['a', 1, false],
      ['b', 2, false],
      ['b', 2, true],
    ]);
    link.sent[2]?.done();
    link.sent[1]?.done();
    expect(delivered).toBe(2);
  });
});
