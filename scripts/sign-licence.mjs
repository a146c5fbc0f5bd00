#!/usr/bin/env node
// Signs licence tokens for tests and trials, with a key pair made here. Keys belong outside the repository.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `usage: sign-licence.mjs --new-key DIR
         makes DIR/licence-key.pem (private, 0600) and DIR/licence-key.pub.pem, and prints the public one
       sign-licence.mjs --key FILE --customer NAME [options]
         prints a token signed with the private key in FILE
options: --edition NAME       the plan (standard)
         --feature NAME       an add-on; may be given several times
         --max-readers N      0 = no limit (0)
         --max-sites N        0 = no limit (0)
         --expires WHEN       an ISO 8601 time, or days from now: 30d; in the past: --expires=-1d (no end)
         --state STATE        licensed, suspended or closed (licensed)`;

const options = {
  'new-key': { type: 'string' },
  key: { type: 'string' },
  customer: { type: 'string' },
  edition: { type: 'string', default: 'standard' },
  feature: { type: 'string', multiple: true, default: [] },
  'max-readers': { type: 'string', default: '0' },
  'max-sites': { type: 'string', default: '0' },
  expires: { type: 'string' },
  state: { type: 'string' },
  help: { type: 'boolean' },
};

class UsageError extends Error {}

/** Never over a key that is there: what it signed would be void. */
function makeKey(dir) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const save = (name, pem) => writeFileSync(join(dir, name), pem, { mode: 0o600, flag: 'wx' });
  save('licence-key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' });
  save('licence-key.pub.pem', publicPem);
  return publicPem.trimEnd();
}

function wholeNumber(name, text) {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}"; it takes a whole number`);
}

function instant(text) {
  const days = /^(-?\d{1,6})d$/.exec(text);
  const at = days ? new Date(Date.now() + Number(days[1]) * 86_400_000) : new Date(text);
  if (Number.isNaN(at.getTime())) throw new UsageError(`--expires is "${text}"; it takes a time or 30d`);
  return at.toISOString();
}

function claimsOf(values) {
  if (!values.customer) throw new UsageError('--customer is missing');
  return {
    customer: values.customer,
    edition: values.edition,
    features: values.feature,
    maxReaders: wholeNumber('max-readers', values['max-readers']),
    maxSites: wholeNumber('max-sites', values['max-sites']),
    ...(values.state && { state: values.state }),
    ...(values.expires && { expiresAt: instant(values.expires) }),
  };
}

/** A compact JWS. */
function tokenOf(claims, privatePem) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'EdDSA' })}.${part(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), createPrivateKey(privatePem)).toString('base64url')}`;
}

function run() {
  const { values } = parseArgs({ options });
  if (values.help) return usage;
  if (values['new-key']) return makeKey(values['new-key']);
  if (!values.key) throw new UsageError('--new-key or --key is missing');
  return tokenOf(claimsOf(values), readFileSync(values.key, 'utf8'));
}

try {
  process.stdout.write(`${run()}\n`);
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`sign-licence: ${error.message}\n${isUsage ? `${usage}\n` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
