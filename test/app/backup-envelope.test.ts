import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSealed, seal, unseal } from '../../src/app/backup-envelope.ts';

const PASSPHRASE = Buffer.from('a passphrase with ü');
const FRAME = 64 * 1024;
/** Magic, version, cost, salt, proof. */
const HEADER = 15 + 4 + 16 + 32;
const SEALED_FRAME = FRAME + 16;

async function* chunks(bytes: Uint8Array, size = 10_007): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const part of parts) found.push(part);
  return Buffer.concat(found);
}

const sealed = (plain: Uint8Array): Promise<Buffer> => all(seal(chunks(plain), PASSPHRASE));
const opened = (bytes: Uint8Array, passphrase = PASSPHRASE): Promise<Buffer> =>
  all(unseal(chunks(bytes), passphrase));

describe('an encrypted backup', () => {
  const plain = randomBytes(3 * FRAME + 500);
  let file: Buffer;
  beforeAll(async () => {
    file = await sealed(plain);
  });

  it.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME])(
    'of %s bytes comes back as it was',
    async (size) => {
      const some = randomBytes(size);
      expect((await opened(await sealed(some))).equals(some)).toBe(true);
    },
  );

  it('shows what it is at its beginning, and nothing of its content', () => {
    expect(isSealed(file.subarray(0, 32))).toBe(true);
    expect(isSealed(plain.subarray(0, 32))).toBe(false);
    expect(file.includes(plain.subarray(0, 16))).toBe(false);
    expect(file.length).toBe(HEADER + plain.length + 4 * 16);
  });

  it('is never the same twice', async () => {
    expect((await sealed(plain)).subarray(HEADER).equals(file.subarray(HEADER))).toBe(false);
  });

  it('tells a wrong passphrase from damage', async () => {
    await expect(opened(file, Buffer.from('another one'))).rejects.toThrow('passphrase is wrong');
    const damaged = Buffer.from(file);
    turn(damaged, HEADER + 10);
    await expect(opened(damaged)).rejects.toThrow('damaged or cut short');
  });

  it('with any one bit turned is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.nat(7), async (at, bit) => {
        const damaged = Buffer.from(file);
        turn(damaged, at, bit);
        await expect(opened(damaged)).rejects.toThrow(/damaged|passphrase is wrong|no backup|format/);
      }),
      { numRuns: 15 },
    );
  });

  it.each([
    ['cut within a frame', (f: Buffer) => f.subarray(0, -1)],
    ['cut at the end of a frame', (f: Buffer) => f.subarray(0, HEADER + 2 * SEALED_FRAME)],
    ['cut after the header', (f: Buffer) => f.subarray(0, HEADER)],
    ['cut within the header', (f: Buffer) => f.subarray(0, 30)],
    ['longer than it was', (f: Buffer) => Buffer.concat([f, Buffer.from('x')])],
    ['with two frames exchanged', (f: Buffer) => exchanged(f)],
    [
      'without a frame in the middle',
      (f: Buffer) =>
        Buffer.concat([f.subarray(0, HEADER + SEALED_FRAME), f.subarray(HEADER + 2 * SEALED_FRAME)]),
    ],
  ])('%s is refused', async (_, change) => {
    await expect(opened(change(file))).rejects.toThrow('damaged or cut short');
  });

  it('hands out nothing of a frame that is not genuine', async () => {
    const damaged = Buffer.from(file);
    turn(damaged, HEADER + SEALED_FRAME + 5);
    const found: Uint8Array[] = [];
    const reading = async (): Promise<void> => {
      for await (const part of unseal(chunks(damaged), PASSPHRASE)) found.push(part);
    };
    await expect(reading()).rejects.toThrow(`at or before byte ${HEADER + 2 * SEALED_FRAME}`);
    expect(Buffer.concat(found).equals(plain.subarray(0, FRAME))).toBe(true);
  });

  it('that asks for more memory than a backup does, or has a later format, is refused before any is taken', async () => {
    for (const [at, value, reason] of [
      [16, 30, 'damaged'],
      [17, 255, 'damaged'],
      [15, 2, 'format 2'],
    ] as const) {
      const changed = Buffer.from(file);
      changed[at] = value;
      await expect(opened(changed)).rejects.toThrow(reason);
    }
  });
});

function exchanged(file: Buffer): Buffer {
  const frame = (no: number): Buffer =>
    file.subarray(HEADER + no * SEALED_FRAME, HEADER + (no + 1) * SEALED_FRAME);
  return Buffer.concat([
    file.subarray(0, HEADER),
    frame(1),
    frame(0),
    file.subarray(HEADER + 2 * SEALED_FRAME),
  ]);
}

function turn(file: Buffer, at: number, bit = 0): void {
  file[at] = (file[at] ?? 0) ^ (1 << bit);
}
