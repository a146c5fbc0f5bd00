import fc from 'fast-check';
import { generate, parser } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { FrameScanner } from '../../src/broker/frame-scanner.ts';

const limits = { messageMaxBytes: 1000, controlMaxBytes: 100 };

/** Feeds `bytes` in pieces of the given sizes, over and over. */
function accepts(bytes: Buffer, sizes: readonly number[]): boolean {
  const scanner = new FrameScanner(limits);
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    if (!scanner.accept(bytes.subarray(at, at + size))) return false;
    at += size;
  }
  return true;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });
const publish = (payloadMax: number) =>
  fc.nat({ max: payloadMax }).map((length) =>
    generate({
      cmd: 'publish',
      topic: 't',
      payload: 'x'.repeat(length),
      qos: 0,
      dup: false,
      retain: false,
    }),
  );
const ping = fc.constant(Buffer.from([0xc0, 0]));

test('packets within their limits are accepted however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(publish(997), ping), { maxLength: 20 }), sizes, (packets, cuts) => {
      expect(accepts(Buffer.concat(packets), cuts)).toBe(true);
    }),
  );
});

test('one packet over its limit is found behind any others however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(publish(997), ping), { maxLength: 10 }), sizes, (packets, cuts) => {
      const over = generate({
        cmd: 'publish',
        topic: 't',
        payload: 'x'.repeat(998),
        qos: 0,
        dup: false,
        retain: false,
      });
      expect(accepts(Buffer.concat([...packets, over]), cuts)).toBe(false);
    }),
  );
});

test('it finds the same packets as the parser behind it', () => {
  fc.assert(
    fc.property(fc.array(publish(300), { minLength: 1, maxLength: 10 }), sizes, (packets, cuts) => {
      let parsed = 0;
      const reference = parser();
      reference.on('packet', () => parsed++);
      reference.parse(Buffer.concat(packets));
      expect(parsed).toBe(packets.length);
      // Only a scanner that stands exactly at the end of a packet takes the next byte for the type of a control packet.
      const atEnd = Buffer.concat([...packets, Buffer.from([0x80, 0xe5, 0x00])]);
      expect(accepts(atEnd, cuts)).toBe(false);
    }),
  );
});

test('a header is judged before its packet has come, and the type decides the limit', () => {
  expect(new FrameScanner(limits).accept(Buffer.from([0x30, 0xe8, 0x07]))).toBe(true);
  expect(new FrameScanner(limits).accept(Buffer.from([0x30, 0xe9, 0x07]))).toBe(false);
  expect(new FrameScanner(limits).accept(Buffer.from([0x10, 100]))).toBe(true);
  expect(new FrameScanner(limits).accept(Buffer.from([0x10, 101]))).toBe(false);
  expect(new FrameScanner(limits).accept(Buffer.from([0x30, 0xff, 0xff]))).toBe(false);
});

test('a length that never ends is left to the parser', () => {
  expect(
    new FrameScanner(limits).accept(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x80, 0x30, 0xff, 0xff])),
  ).toBe(true);
});
