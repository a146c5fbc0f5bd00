import { createCipheriv, createPrivateKey, type KeyObject, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { integer, objectIdentifier, octetString, pemOf, sequence } from './der-writer.ts';
import type { Passphrase } from './passphrase.ts';
import { PkiError } from './pki-error.ts';

const derive = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);

const CA_KEY_MIN_BITS = 2048;
const KEY_BYTES = 32;
const BLOCK_BYTES = 16;

/** What the openssl command itself takes for scrypt; more than 32 MB of memory it would refuse to open again. */
const scryptCost = { N: 16_384, r: 8, p: 1 } as const;

const oids = {
  pbes2: '1.2.840.113549.1.5.13',
  scrypt: '1.3.6.1.4.1.11591.4.11',
  aes256Cbc: '2.16.840.1.101.3.4.1.42',
} as const;

/** True for a key in PEM that only a passphrase opens, in PKCS #8 or OpenSSL's older form. */
export function isEncryptedKey(pem: string): boolean {
  return /^-----BEGIN ENCRYPTED PRIVATE KEY-----/m.test(pem) || /^Proc-Type: 4,ENCRYPTED/m.test(pem);
}

/**
 * The authority's key out of its PEM text. An encrypted one without a passphrase or with a wrong one, a text that is no
 * key, and a key that is not RSA with at least 2048 bits are a `PkiError` that names `path`.
 */
export function readCaKey(pem: string, path: string, passphrase: Passphrase | null): KeyObject {
  const key = parseKey(pem, path, passphrase);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType === 'rsa' && bits >= CA_KEY_MIN_BITS) return key;
  const kind = key.asymmetricKeyType === 'rsa' ? `RSA with ${bits} bits` : key.asymmetricKeyType;
  throw new PkiError(
    `${path}: a key of the wrong kind (${kind}); the authority needs RSA with ${CA_KEY_MIN_BITS} bits or more`,
  );
}

/** A key as PKCS #8 in PEM, encrypted (AES-256-CBC under a key from scrypt) when there is a passphrase. */
export async function caKeyPem(key: KeyObject, passphrase: Passphrase | null): Promise<string> {
  if (passphrase === null) return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  // Node's own export derives the key with 2,048 rounds of PBKDF2, which a stolen file does not withstand for long.
  const salt = randomBytes(BLOCK_BYTES);
  const iv = randomBytes(BLOCK_BYTES);
  const cipher = createCipheriv(
    'aes-256-cbc',
    await derive(passphrase.bytes, salt, KEY_BYTES, scryptCost),
    iv,
  );
  const plain = key.export({ type: 'pkcs8', format: 'der' });
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  const pem = pemOf('ENCRYPTED PRIVATE KEY', sequence(encryption(salt, iv), octetString(encrypted)));
  // The plain key is about to be replaced by this: it has to come back out.
  if (!createPrivateKey({ key: pem, passphrase: passphrase.bytes }).equals(key))
    throw new Error('an encrypted key does not open again');
  return pem;
}

/** RFC 8018 (PBES2) with the parameters of RFC 7914 (scrypt). */
function encryption(salt: Buffer, iv: Buffer): Buffer {
  const { N, r, p } = scryptCost;
  const parameters = sequence(octetString(salt), integer(N), integer(r), integer(p));
  const derivation = sequence(objectIdentifier(oids.scrypt), parameters);
  const scheme = sequence(objectIdentifier(oids.aes256Cbc), octetString(iv));
  return sequence(objectIdentifier(oids.pbes2), sequence(derivation, scheme));
}

function parseKey(pem: string, path: string, passphrase: Passphrase | null): KeyObject {
  const isEncrypted = isEncryptedKey(pem);
  if (isEncrypted && passphrase === null) {
    throw new PkiError(`${path}: is encrypted; name the file with its passphrase in pki.passphraseFile`);
  }
  try {
    return createPrivateKey(isEncrypted && passphrase ? { key: pem, passphrase: passphrase.bytes } : pem);
  } catch {
    if (!isEncrypted) throw new PkiError(`${path}: not a private key in PEM; restore it from your backup`);
    throw new PkiError(
      `${path}: the passphrase in ${passphrase?.file} does not open it; name the right one in pki.passphraseFile, or restore the key from your backup`,
    );
  }
}
