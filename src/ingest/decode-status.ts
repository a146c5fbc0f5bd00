import { type Health, healthFigures, healthSchema } from '../contract/payloads.ts';
import { cutText, describeJson } from '../lib/json-describe.ts';
import { isJsonObject, type JsonObject } from './decode-figures.ts';
import { parseJson, utf8Text } from './decode-text.ts';

/** Longest text kept; readers allow 500 characters for their own connect and will texts. */
const statusTextMaxLength = 500;

/** What one message on a reader's `status` topic says. Whatever it is but `rejected` is a sign of life. */
export type DecodedStatus =
  /** The reader's own connect, disconnect or will text, cut after 500 characters; may be empty. */
  | { readonly kind: 'text'; readonly text: string }
  /** The agent's figures; `dropped` names each figure left out, with the reason, one line each. */
  | { readonly kind: 'health'; readonly health: Health; readonly dropped: readonly string[] }
  /** A JSON object or list that is no health message. */
  | { readonly kind: 'other' }
  /** Not UTF-8, or begins like a JSON object or list and is none; one line. */
  | { readonly kind: 'rejected'; readonly reason: string };

/**
 * Decodes a message on a reader's `status` topic; never throws, whatever the bytes. Only a JSON object with `"type":
 * "health"` carries figures. A figure that is null is unknown, one that is out of range is dropped, not the message.
 */
export function decodeStatus(payload: Uint8Array): DecodedStatus {
  const text = utf8Text(payload);
  if (text === null) return { kind: 'rejected', reason: 'the message is not UTF-8 text' };
  if (!/^\s*[[{]/.test(text)) return { kind: 'text', text: cutText(text, statusTextMaxLength) };
  const parsed = parseJson(text);
  if ('problem' in parsed) return { kind: 'rejected', reason: parsed.problem };
  const { value } = parsed;
  return isJsonObject(value) && value.type === 'health' ? healthOf(value) : { kind: 'other' };
}

function healthOf(message: JsonObject): DecodedStatus {
  const figures: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, schema] of Object.entries(healthFigures)) {
    const value = message[name];
    if (value === undefined || value === null) continue;
    const checked = schema.safeParse(value);
    if (checked.success) figures[name] = checked.data;
    else dropped.push(`${name} is ${describeJson(value)}; ${checked.error.issues[0]?.message}`);
  }
  return { kind: 'health', health: healthSchema.parse({ ...figures, type: 'health' }), dropped };
}
