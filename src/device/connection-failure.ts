const UNTRUSTED = "the broker's certificate is not signed by the identity's ca.crt";

const HINTS: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED: "the broker's certificate has expired",
  CERT_NOT_YET_VALID: "the broker's certificate is not valid yet (is the clock here right?)",
  ERR_TLS_CERT_ALTNAME_INVALID: "the broker's certificate is for another host name",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the broker does not know the authority that signed client.crt',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the broker wants a client certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'the broker says that client.crt has expired',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: 'the broker says that client.crt is revoked',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the broker reset the connection',
  ENOTFOUND: 'the host name is unknown',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'the host cannot be reached',
};

/** Why a connection failed, in one line: what it means where that is known, and the code to look up. */
export function connectionFailure(error: Error): string {
  // MQTT refusals carry a number as their code, and say themselves what they are.
  const code = 'code' in error ? String(error.code) : '';
  const hint = HINTS[code];
  return (hint === undefined ? error.message : `${hint} (${code})`).replace(/\s+/g, ' ').slice(0, 300);
}
