import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG with its right checksum. */
export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

/** The header of a picture with eight bits of grey. */
export function pngHeader(width: number, height: number, more: readonly number[] = [8, 0, 0, 0, 0]): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set(more, 8);
  return pngChunk('IHDR', data);
}

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
export const pngEnd = pngChunk('IEND');

/** The rows of a black picture. */
export function pngRows(width: number, height: number): Buffer {
  return pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height)));
}

/** A whole black picture, with further chunks before its rows. */
export function pngOf(width: number, height: number, more: readonly Buffer[] = []): Buffer {
  return Buffer.concat([pngSignature, pngHeader(width, height), ...more, pngRows(width, height), pngEnd]);
}
