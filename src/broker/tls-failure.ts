import type { TLSSocket } from 'node:tls';

const OTHER_AUTHORITY = 'the certificate was not signed by this authority';
const NOT_DIRECTLY = 'the certificate was signed by another than this authority itself';
// Node has one code for all of these.
const BREAKS_A_RULE =
  'the certificate breaks a rule: its key or signature is too weak, or its signer may not sign';
const NOT_TLS = 'what was sent is not TLS';

/** Node's and OpenSSL's codes in the words of whoever put the reader into service. */
const words: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', "the certificate is not valid yet; check this machine's clock"],
  ['CERT_SIGNATURE_FAILURE', OTHER_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', OTHER_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', OTHER_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', OTHER_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', OTHER_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', OTHER_AUTHORITY],
  ['INVALID_CA', NOT_DIRECTLY],
  ['PATH_LENGTH_EXCEEDED', NOT_DIRECTLY],
  ['INVALID_PURPOSE', 'the certificate is not one for clients'],
  ['UNSPECIFIED', BREAKS_A_RULE],
  ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'the client showed no certificate'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'the client offers nothing newer than TLS 1.1'],
  ['ERR_SSL_NO_SHARED_CIPHER', 'the client offers no cipher suite that is accepted'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NOT_TLS],
  ['ERR_SSL_HTTP_REQUEST', NOT_TLS],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'the client did not come to the end of the handshake in time'],
]);

/** Why a handshake failed: the code, where there is one, and in words. */
export interface TlsFailure {
  readonly reason: string | undefined;
  readonly error: string;
}

/**
 * Tells a failed handshake's cause. Of a refused certificate Node leaves "socket hang up" as the error, and its reason
 * on the socket.
 */
export function tlsFailure(error: Error, socket: TLSSocket): TlsFailure {
  // Typed as an error, but the code of one.
  const refused: unknown = socket.authorizationError;
  const code = refused ?? ('code' in error ? error.code : undefined);
  const reason = typeof code === 'string' ? code : undefined;
  return { reason, error: words.get(reason ?? '') ?? error.message };
}
