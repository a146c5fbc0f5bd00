import { isUtf8 } from 'node:buffer';
import { type Acknowledgement, acknowledgementSchema } from '../../contract/command.ts';
import { describeJson, oneLine } from '../../lib/json-describe.ts';

/** An acknowledgement has a hundred bytes or so; a reason may be long, but not that long. */
const ACKNOWLEDGEMENT_MAX_BYTES = 16 * 1024;
const PROBLEM_MAX = 120;

/** What a message on `command-response` says, or why it says nothing, in one line. */
export type DecodedAcknowledgement =
  | { readonly acknowledgement: Acknowledgement }
  | { readonly problem: string };

/** Decodes a message on a reader's `command-response` topic; never throws, whatever the bytes. */
export function decodeAcknowledgement(payload: Buffer): DecodedAcknowledgement {
  const { length } = payload;
  if (length > ACKNOWLEDGEMENT_MAX_BYTES)
    return { problem: `an acknowledgement of ${length} bytes; ${ACKNOWLEDGEMENT_MAX_BYTES} are allowed` };
  if (!isUtf8(payload)) return { problem: 'the message is not UTF-8 text' };
  // A byte order mark is no part of the text.
  const text = payload.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') return { problem: 'the message is empty' };
  try {
    return checked(JSON.parse(text));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { problem: `not JSON: ${oneLine(detail, PROBLEM_MAX)}` };
  }
}

function checked(value: unknown): DecodedAcknowledgement {
  const parsed = acknowledgementSchema.safeParse(value);
  if (parsed.success) return { acknowledgement: parsed.data };
  const [issue] = parsed.error.issues;
  const name = issue?.path[0];
  if (name === undefined)
    return { problem: `an acknowledgement is ${describeJson(value)}; an object is expected` };
  // With a path it is an object; an own or inherited member, it is only shown.
  const member = (value as Readonly<Record<PropertyKey, unknown>>)[name];
  return { problem: `${String(name)} is ${describeJson(member)}; ${issue?.message}` };
}
