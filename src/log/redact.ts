const SECRET_NAME =
  /authorization|cookie|password|passwd|passphrase|secret|token|pem$|^key$|(api|private|client)_?-?key/i;
const SECRET_TEXT =
  /\btk_[A-Za-z0-9_-]{43}|(?<=\bBearer )[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*/g;
const HIDDEN = '[redacted]';

/**
 * A copy of a parsed JSON value without secrets: members named like one (authorization, cookie, password, key, token …)
 * at any depth, and in any text API keys, bearer tokens and PEM private keys.
 */
function redact(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(SECRET_TEXT, HIDDEN);
  if (Array.isArray(value)) return value.map(redact);
  return typeof value === 'object' && value !== null ? redactMembers(value) : value;
}

/** The members of one object, redacted. */
export function redactMembers(record: object): Record<string, unknown> {
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? HIDDEN : redact(value),
  ]);
  return Object.fromEntries(entries);
}
