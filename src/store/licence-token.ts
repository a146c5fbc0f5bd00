import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { grantedStates, type LicenceClaims } from '../domain/licence.ts';
import { limits } from '../domain/limits.ts';
import { type Refused, refuse } from '../domain/refusal.ts';
import { parseInstant } from '../lib/instant.ts';

const SIGNATURE_BYTES = 64;
const FEATURES_MAX = 100;
const COUNT_MAX = 1_000_000;

const text = z.string().min(1).max(limits.nameMaxLength);
const count = z.int().min(0).max(COUNT_MAX);

const claimsSchema = z.object({
  customer: text,
  edition: text,
  features: z.array(text).max(FEATURES_MAX),
  maxReaders: count,
  maxSites: count,
  state: z.enum(grantedStates).default('licensed'),
  expiresAt: z
    .string()
    .transform((value, context) => {
      const at = parseInstant(value);
      if (at !== null) return Math.floor(at);
      context.addIssue('must be an ISO 8601 time');
      return z.NEVER;
    })
    .optional()
    .transform((at) => at ?? null),
});

// `crit` would name rules of the signer that are not known here.
const headerSchema = z.object({ alg: z.literal('EdDSA'), crit: z.never().optional() });

/**
 * The claims of a licence token: a compact JWS signed with Ed25519, checked against the vendor's public key (PEM). Needs
 * no network and no clock: an expired token is a token. Throws `licence-invalid` with a detail that says what is wrong.
 */
export function readLicenceToken(token: string, publicKey: string | null): LicenceClaims {
  if (publicKey === null)
    throw refused('no licence can be checked: licence.publicKey is not set in the configuration');
  if (token.length > limits.licenceTokenMaxLength)
    throw refused(`the token has over ${limits.licenceTokenMaxLength} characters`);
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    throw refused('the token is not a compact JWS of three parts');
  checkHeader(header);
  checkSignature(`${header}.${payload}`, decode(signature), publicKey);
  return claimsOf(payload);
}

function checkHeader(header: string): void {
  if (!headerSchema.safeParse(parseJson(header, 'header')).success)
    throw refused('the token is not signed with EdDSA, or by rules not known here');
}

function checkSignature(signed: string, signature: Buffer, publicKey: string): void {
  const isGenuine =
    signature.length === SIGNATURE_BYTES &&
    verify(null, Buffer.from(signed), createPublicKey(publicKey), signature);
  if (!isGenuine) throw refused('the token is damaged or not signed with the key in licence.publicKey');
}

function claimsOf(payload: string): LicenceClaims {
  const { data, error } = claimsSchema.safeParse(parseJson(payload, 'payload'));
  if (data) return data;
  const [issue] = error.issues;
  throw refused(`the claim "${issue?.path.join('.') ?? ''}" of the token is not valid: ${issue?.message}`);
}

function parseJson(part: string, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decode(part)));
  } catch {
    throw refused(`the token's ${name} is not JSON in base64url`);
  }
}

/** Only the one spelling of the bytes: no padding, no stray bits, no other alphabet. */
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw refused('the token is not written in base64url');
  return bytes;
}

function refused(why: string): Refused {
  return refuse('licence-invalid', `The licence is not valid: ${why}.`);
}
