import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { ByteReader } from '../lib/byte-reader.ts';
import { Unreadable } from './backup-error.ts';

const derive = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);

const MAGIC = Buffer.from('TAGKEEP-BACKUP\n');
const VERSION = 1;
const SALT_BYTES = 16;
const PROOF_BYTES = 32;
const KEY_BYTES = 32;
const FRAME_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** 64 MB of memory and about a quarter of a second: a small box can spend it, a guesser has to each time. */
const COST = { log2N: 16, r: 8, p: 1 } as const;
/** What a file may ask of whoever opens it: 1 GB of memory. */
const MAX_LOG2N = 20;

const HEADER_BYTES = MAGIC.length + 4 + SALT_BYTES;

interface Keys {
  readonly frame: Buffer;
  readonly proof: Buffer;
}

/** Whether a file that begins with these bytes (32 are enough) is an encrypted backup. */
export function isSealed(head: Uint8Array): boolean {
  return MAGIC.equals(head.subarray(0, MAGIC.length));
}

/**
 * Encrypts a stream under a passphrase: a header (magic, version, cost of scrypt, salt), a proof by which a wrong
 * passphrase is told from a damaged file, then frames of 64 kB in AES-256-GCM. The nonce of a frame is its number and
 * whether it is the last, so frames that are changed, left out, moved or cut off are noticed. The key is new for each file.
 */
export async function* seal(
  plain: AsyncIterable<Uint8Array>,
  passphrase: Buffer,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  const header = Buffer.concat([MAGIC, Buffer.from([VERSION, COST.log2N, COST.r, COST.p]), salt]);
  const keys = await keysOf(passphrase, header);
  yield Buffer.concat([header, proofOf(keys, header)]);
  for await (const { bytes, no, isLast } of framesOf(new ByteReader(plain), FRAME_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', keys.frame, nonceOf(no, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Undoes `seal`. Nothing of a frame is handed out before it is proved genuine. Throws `Unreadable`. */
export async function* unseal(
  sealed: AsyncIterable<Uint8Array>,
  passphrase: Buffer,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(sealed);
  const header = Buffer.from(await reader.read(HEADER_BYTES));
  const proof = Buffer.from(await reader.read(PROOF_BYTES));
  if (header.length < HEADER_BYTES || proof.length < PROOF_BYTES) throw damagedAt(reader.position);
  const keys = await keysOf(passphrase, header);
  if (!timingSafeEqual(proof, proofOf(keys, header)))
    throw new Unreadable('the passphrase is wrong (or the first bytes of the file are damaged)');
  for await (const frame of framesOf(reader, FRAME_BYTES + TAG_BYTES)) yield opened(keys, frame);
}

interface Frame {
  readonly bytes: Uint8Array;
  readonly no: number;
  readonly isLast: boolean;
  /** Where it ends in the file. */
  readonly end: number;
}

/** Pieces of `size`; the last may be shorter, or empty when there is nothing at all. */
async function* framesOf(reader: ByteReader, size: number): AsyncGenerator<Frame> {
  let bytes = await reader.read(size);
  for (let no = 0; ; no++) {
    const end = reader.position;
    const next = await reader.read(size);
    const isLast = next.length === 0;
    yield { bytes, no, isLast, end };
    if (isLast) return;
    bytes = next;
  }
}

function opened(keys: Keys, { bytes, no, isLast, end }: Frame): Buffer {
  if (bytes.length < TAG_BYTES) throw damagedAt(end);
  const cut = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', keys.frame, nonceOf(no, isLast), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(cut));
  const plain = decipher.update(bytes.subarray(0, cut));
  try {
    decipher.final();
    return plain;
  } catch {
    throw damagedAt(end);
  }
}

const damagedAt = (position: number): Unreadable =>
  new Unreadable(`it is damaged or cut short, at or before byte ${position}`);

function nonceOf(no: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(no, NONCE_BYTES - 7, 6);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}

async function keysOf(passphrase: Buffer, header: Buffer): Promise<Keys> {
  const at = MAGIC.length;
  const [version = 0, log2N = 0, r = 0, p = 0] = header.subarray(at, at + 4);
  if (!isSealed(header)) throw new Unreadable('it is no backup of Tagkeep');
  if (version !== VERSION) throw new Unreadable(`it has format ${version}, which this Tagkeep does not know`);
  if (log2N < 1 || log2N > MAX_LOG2N || r !== COST.r || p !== COST.p) throw damagedAt(at + 4);
  const cost = { N: 2 ** log2N, r, p, maxmem: 2 ** (log2N + 10) + 2 ** 20 };
  const bytes = await derive(passphrase, header.subarray(at + 4), 2 * KEY_BYTES, cost);
  return { frame: bytes.subarray(0, KEY_BYTES), proof: bytes.subarray(KEY_BYTES) };
}

const proofOf = ({ proof }: Keys, header: Buffer): Buffer =>
  createHmac('sha256', proof).update(header).digest();
