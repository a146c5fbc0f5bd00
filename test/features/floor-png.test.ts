import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanPng } from '../../src/features/floor/check-png.ts';
import { pngChunk, pngEnd, pngHeader, pngOf, pngRows, pngSignature } from '../support/png.ts';

const text = pngChunk('tEXt', Buffer.from('Author\0somebody'));
const rows = pngRows(2, 2);
const whole = pngOf(2, 2);
const made = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([pngSignature, ...chunks]);

function refusal(bytes: Buffer): string {
  try {
    cleanPng(bytes);
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a PNG', () => {
  test('that has nothing but a picture stays as it is', () => {
    expect(cleanPng(whole)).toEqual({ bytes: whole, width: 2, height: 2, dropped: 0 });
  });

  test('loses texts, times, places and animations, and keeps what colours need', () => {
    const kept = [pngChunk('gAMA', Buffer.alloc(4)), pngChunk('pHYs')];
    const extra = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'acTL', 'fcTL', 'iCCP'].map((type) =>
      pngChunk(type),
    );
    const { bytes, dropped } = cleanPng(pngOf(2, 2, [...extra, ...kept]));
    expect(dropped).toBe(extra.length);
    expect(bytes).toEqual(pngOf(2, 2, kept));
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'The file is no PNG.'],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'The file is no PNG.'],
    ['a signature alone', pngSignature, 'The PNG does not begin with its header.'],
    ['one cut off', whole.subarray(0, -1), 'The PNG is cut off.'],
    ['one without end', made(pngHeader(2, 2), rows), 'The PNG is cut off.'],
    [
      'something behind its end',
      Buffer.concat([whole, Buffer.from('<script>')]),
      'The PNG goes on after its end.',
    ],
    [
      'a length beyond the file',
      made(Buffer.from('ffffffff49484452', 'hex'), Buffer.alloc(30)),
      'The PNG is cut off.',
    ],
    ['no picture', made(pngHeader(2, 2), pngEnd), 'The PNG has no picture in it.'],
    [
      'two headers',
      made(pngHeader(2, 2), pngHeader(2, 2), rows, pngEnd),
      'The PNG has more than one header.',
    ],
    ['a picture in parts', made(pngHeader(2, 2), rows, text, rows, pngEnd), /parts that are not together/],
    [
      'an unknown piece',
      made(pngHeader(2, 2), pngChunk('EVIL'), rows, pngEnd),
      /a piece that is not known: EVIL/,
    ],
    ['no name', made(pngHeader(2, 2), pngChunk('\0\0\0\0'), rows, pngEnd), /a piece of it has no name/],
    ['no palette', made(pngHeader(2, 2, [8, 3, 0, 0, 0]), rows, pngEnd), /no palette where it has to be/],
    [
      'a strange depth',
      made(pngHeader(2, 2, [3, 0, 0, 0, 0]), rows, pngEnd),
      /a form of colours or compression/,
    ],
    ['no width', made(pngHeader(0, 2), rows, pngEnd), /0 by 2 pixels; a side may have 1 to 20000/],
    ['a side too long', made(pngHeader(20_001, 2), rows, pngEnd), /a side may have 1 to 20000/],
    ['too many pixels', made(pngHeader(20_000, 20_000), rows, pngEnd), /together there may be 64000000/],
    ['too many pieces', made(pngHeader(2, 2), ...Array<Buffer>(20_001).fill(text)), /more than 20000 pieces/],
  ])('with %s is refused in words', (_, bytes, words) => {
    expect(refusal(bytes)).toMatch(words);
  });

  test('damaged anywhere is refused: its bytes are under checksums, and their order is checked', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        expect(refusal(damaged)).toMatch(/^The (PNG|file)/);
      }),
    );
  });
});
