import fc from 'fast-check';
import { generate, type Packet, parser } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { FrameTap, OVERSIZED, type TappedPublish } from '../../src/broker/frame-tap.ts';

const limits = { messageMaxBytes: 1000, controlMaxBytes: 100 };
const TOPIC = 'svc/v1/R700/events';

interface Seen {
  /** `t<payload>` for what the tap took, `p<payload>` or the command for what the parser read, in the order of arrival. */
  readonly order: string[];
  readonly tapped: TappedPublish[];
  readonly oversized: boolean;
}

function feed(bytes: Buffer, sizes: readonly number[], isOpen: (at: number) => boolean = () => true): Seen {
  const order: string[] = [];
  const tapped: TappedPublish[] = [];
  const tap = new FrameTap({
    limits,
    topic: TOPIC,
    onPublish: (publish) => {
      tapped.push(publish);
      order.push(`t${publish.payload}`);
    },
  });
  const behind = parser();
  behind.on('packet', (packet: Packet) =>
    order.push(packet.cmd === 'publish' ? `p${packet.payload}` : packet.cmd),
  );
  behind.on('error', () => order.push('error'));
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    // As sockets give them: each chunk is memory of its own.
    const left = tap.accept(Buffer.from(bytes.subarray(at, at + size)), isOpen(at));
    if (left === OVERSIZED) return { order, tapped, oversized: true };
    if (left) behind.parse(left);
    at += size;
  }
  return { order, tapped, oversized: false };
}

const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 10 });
const text = fc.string({ maxLength: 300, unit: fc.constantFrom('a', 'b', '0', '{') });

const ours = fc.record({
  qos: fc.constantFrom(0 as const, 1 as const),
  dup: fc.boolean(),
  retain: fc.boolean(),
  text,
});
const packets = fc.oneof(
  { weight: 5, arbitrary: ours.map((one) => ({ ...publish(one.text, one), ours: true })) },
  {
    weight: 1,
    arbitrary: text.map((payload) => ({ ...publish(payload, { topic: 'svc/v1/R700/status' }), ours: false })),
  },
  { weight: 1, arbitrary: text.map((payload) => ({ ...publish(payload, { qos: 2 }), ours: false })) },
  { weight: 1, arbitrary: fc.constant({ name: 'pingreq', bytes: Buffer.from([0xc0, 0]), ours: false }) },
);

function publish(
  payload: string,
  options: { qos?: 0 | 1 | 2; dup?: boolean; retain?: boolean; topic?: string },
) {
  const { qos = 1, dup = false, retain = false, topic = TOPIC } = options;
  const packet = { cmd: 'publish' as const, topic, payload, qos, retain, dup: dup && qos > 0, messageId: 7 };
  return { name: payload, bytes: generate(packet) };
}

test('every packet comes out once, whole and in its order, however the bytes are cut; ours by the tap or, never before others, by the parser', () => {
  fc.assert(
    fc.property(fc.array(packets, { maxLength: 30 }), sizes, (sent, cuts) => {
      const { order } = feed(Buffer.concat(sent.map(({ bytes }) => bytes)), cuts);
      const names = sent.map(({ name }) => (name === 'pingreq' ? name : `.${name}`));
      expect(order.map((one) => (one === 'pingreq' ? one : one.replace(/^[tp]/, '.')))).toEqual(names);
      for (const [at, one] of sent.entries()) if (!one.ours) expect(order[at]).not.toMatch(/^t/);
    }),
  );
});

test('a stream of ours alone never reaches the parser, and QoS, dup and identifier are as they were sent', () => {
  fc.assert(
    fc.property(fc.array(ours, { maxLength: 30 }), sizes, (sent, cuts) => {
      const bytes = sent.map((one, no) =>
        generate({
          cmd: 'publish',
          topic: TOPIC,
          payload: one.text,
          qos: one.qos,
          retain: one.retain,
          dup: one.dup && one.qos > 0,
          messageId: no + 1,
        }),
      );
      const { order, tapped } = feed(Buffer.concat(bytes), cuts);
      expect(order).toEqual(sent.map((one) => `t${one.text}`));
      expect(tapped.map(({ qos, dup, messageId }) => ({ qos, dup, messageId }))).toEqual(
        sent.map((one, no) => ({ qos: one.qos, dup: one.dup && one.qos > 0, messageId: one.qos * (no + 1) })),
      );
    }),
  );
});

test('while it is shut nothing is taken; opened in the midst of a packet it begins behind it', () => {
  const [a, b, c] = ['aaaa', 'bbbb', 'cccc'].map((payload) => publish(payload, {}).bytes);
  const bytes = Buffer.concat([a ?? [], b ?? [], c ?? []].map((each) => Buffer.from(each)));
  const size = bytes.length / 3;
  expect(feed(bytes, [size], () => false).order).toEqual(['paaaa', 'pbbbb', 'pcccc']);
  // Opened with the second half of the second packet.
  expect(feed(bytes, [size + 5, size - 5, size], (at) => at > 0).order).toEqual(['paaaa', 'pbbbb', 'tcccc']);
});

test('an announced packet over the limit is found behind any others, and before its bytes are kept', () => {
  const over = Buffer.from([0x32, 0xe9, 0x07]);
  const before = publish('x', {}).bytes;
  for (const cuts of [[1], [7], [1000]]) {
    const { oversized, order } = feed(Buffer.concat([before, over]), cuts);
    expect([oversized, order.length <= 1]).toEqual([true, true]);
  }
});

test.each([
  ['without room for its identifier', [0x32, 20, 0, 18, ...Buffer.from(TOPIC)]],
  ['with the identifier 0', [0x32, 22, 0, 18, ...Buffer.from(TOPIC), 0, 0]],
  ['of QoS 3', [0x36, 22, 0, 18, ...Buffer.from(TOPIC), 0, 1]],
  ['repeated at QoS 0', [0x38, 20, 0, 18, ...Buffer.from(TOPIC)]],
  ['whose topic only begins like ours', [0x30, 21, 0, 19, ...Buffer.from(`${TOPIC}x`)]],
  ['whose topic is longer than the packet', [0x30, 4, 0, 18, 0x73, 0x76]],
])('a publish %s is left to the parser', (_, bytes) => {
  expect(feed(Buffer.from(bytes), [1000]).tapped).toEqual([]);
});

test('a length that goes on too long, and everything behind it, is left to the parser', () => {
  const bytes = Buffer.concat([Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x80]), publish('x', {}).bytes]);
  for (const cuts of [[1], [3], [1000]])
    expect(feed(bytes, cuts)).toMatchObject({ tapped: [], oversized: false });
});
