import { crc32 } from 'node:zlib';
import { limits } from '../../domain/limits.ts';
import { invalid } from '../../domain/refusal.ts';

/** A picture that is whole and has nothing else in it. */
export interface CleanPng {
  readonly bytes: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pieces that were left out: texts, times, other pictures within it. */
  readonly dropped: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHUNKS_MAX = 20_000;
/** Around the data of a chunk: length and type before it, checksum behind it. */
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

/** What colours need; everything else that is not needed to draw is left out. */
const kept: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND'],
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'pHYs'],
]);

/** Colour type → the bits per sample it can have. */
const depths: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

/** Whether the bytes begin like a PNG. */
export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/**
 * A PNG, piece by piece: signature, header, order and checksums are right, and what is not needed to draw is left out.
 * Refuses (400) what is none, is cut off or goes on after its end, or has more pixels than a browser should have to hold.
 */
export function cleanPng(bytes: Buffer): CleanPng {
  if (!isPng(bytes)) throw invalid('The file is no PNG.');
  const chunks = chunksOf(bytes);
  const size = sizeOf(chunks[0]);
  checkOrder(chunks, bytes);
  const needed = chunks.filter(({ type }) => kept.has(type));
  return {
    bytes: Buffer.concat([SIGNATURE, ...needed.map(({ whole }) => whole)]),
    ...size,
    dropped: chunks.length - needed.length,
  };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** With length, type and checksum. */
  readonly whole: Buffer;
}

function chunksOf(bytes: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const chunk = chunkAt(bytes, at);
    chunks.push(chunk);
    if (chunks.length > CHUNKS_MAX) throw invalid(`The PNG has more than ${CHUNKS_MAX} pieces.`);
    at += chunk.whole.length;
    if (chunk.type === 'IEND' && at < bytes.length) throw invalid('The PNG goes on after its end.');
  }
  return chunks;
}

function chunkAt(bytes: Buffer, at: number): Chunk {
  if (at + HEAD_BYTES + CRC_BYTES > bytes.length) throw cutOff();
  const length = bytes.readUInt32BE(at);
  const end = at + HEAD_BYTES + length + CRC_BYTES;
  if (end > bytes.length) throw cutOff();
  const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES);
  if (!/^[A-Za-z]{4}$/.test(type)) throw invalid('The PNG is damaged: a piece of it has no name.');
  const data = bytes.subarray(at + HEAD_BYTES, end - CRC_BYTES);
  if (crc32(bytes.subarray(at + 4, end - CRC_BYTES)) !== bytes.readUInt32BE(end - CRC_BYTES))
    throw invalid(`The PNG is damaged: the checksum of a piece ${type} is wrong.`);
  return { type, data, whole: bytes.subarray(at, end) };
}

function cutOff(): Error {
  return invalid('The PNG is cut off.');
}

function sizeOf(header: Chunk | undefined): Pick<CleanPng, 'width' | 'height'> {
  if (header?.type !== 'IHDR' || header.data.length !== 13)
    throw invalid('The PNG does not begin with its header.');
  const { data } = header;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = data.subarray(8);
  if (!depths.get(colour)?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw invalid('The PNG has a form of colours or compression that there is not.');
  const { planMaxSide, planMaxPixels } = limits;
  if (width < 1 || height < 1 || width > planMaxSide || height > planMaxSide)
    throw invalid(`The PNG has ${width} by ${height} pixels; a side may have 1 to ${planMaxSide}.`);
  if (width * height > planMaxPixels)
    throw invalid(`The PNG has ${width} by ${height} pixels; together there may be ${planMaxPixels}.`);
  return { width, height };
}

function checkOrder(chunks: readonly Chunk[], { length }: Buffer): void {
  const types = chunks.map(({ type }) => type);
  const count = (wanted: string): number => types.filter((type) => type === wanted).length;
  const strange = types.find((type) => /^[A-Z]/.test(type) && !kept.has(type));
  if (strange !== undefined) throw invalid(`The PNG has a piece that is not known: ${strange}.`);
  if (count('IHDR') !== 1) throw invalid('The PNG has more than one header.');
  if (types.at(-1) !== 'IEND' || length === SIGNATURE.length) throw cutOff();
  const [first, last] = [types.indexOf('IDAT'), types.lastIndexOf('IDAT')];
  if (first < 0) throw invalid('The PNG has no picture in it.');
  if (last - first + 1 !== count('IDAT'))
    throw invalid('The PNG has its picture in parts that are not together.');
  const isPalette = chunks[0]?.data[9] === 3;
  const palette = types.indexOf('PLTE');
  if (count('PLTE') > 1 || palette > first || (isPalette && palette < 0))
    throw invalid('The PNG has no palette where it has to be.');
}
