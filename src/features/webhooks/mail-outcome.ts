import type { AttemptOutcome } from '../../store/webhooks.ts';
import { faultOf, plainLine, Timeout } from './fault.ts';

/** How an e-mail went, but for how long it took. */
export type Told = Omit<AttemptOutcome, 'durationMs'>;

interface Reply {
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

interface Refusal extends Reply {
  readonly recipient?: string | undefined;
}

/** What the mail server took, for at least one recipient. */
interface Sent {
  readonly response: string;
  readonly accepted: readonly string[];
  readonly rejectedErrors?: readonly Refusal[] | undefined;
}

const isLater = ({ responseCode = 0 }: Reply): boolean => responseCode < 500;

/**
 * Delivered, unless the server asked to come back later for some of the recipients: these are then tried again, alone. Who
 * was refused for good is named in `response`.
 */
export function outcomeOfSent({ response, accepted, rejectedErrors = [] }: Sent): Told {
  const later = rejectedErrors.filter(isLater);
  const without = rejectedErrors.map((one) => `; not for ${one.recipient}: ${one.response}`);
  const told = { statusCode: codeOf(response), response: plainLine(`${response}${without.join('')}`) };
  if (later.length === 0) return { ...told, error: null };
  const error = plainLine(
    `the mail server did not take it for ${later.map((one) => one.recipient).join(', ')}`,
  );
  return { ...told, error, told: accepted };
}

interface Failure extends Reply {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly message: string;
}

/** Commands whose refusal is about this very message, and will be the same every time. */
const ABOUT_THE_MESSAGE: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

/**
 * A message is final when the server refuses it with 5xx for all its recipients or for what it says. A login or a sender it
 * does not take is a fault of the configuration, and is tried again. `timeoutMs`: the attempt was ended after so long.
 */
export function outcomeOfError(error: unknown, timeoutMs: number | null): Told {
  if (timeoutMs !== null) return { statusCode: null, error: faultOf(new Timeout(timeoutMs)) };
  const { responseCode, response, command = '', originalCode, code, message } = error as Failure; // what nodemailer fails with
  if (responseCode === undefined || response === undefined)
    return { statusCode: null, error: faultOf({ code: originalCode ?? code, message }) };
  const isFinal = responseCode >= 500 && ABOUT_THE_MESSAGE.has(command);
  const place = command === '' ? '' : ` to ${command.split(' ')[0] === 'AUTH' ? 'the login' : command}`;
  return {
    ...{ statusCode: responseCode, response: plainLine(response) },
    error: `the mail server answered ${responseCode}${place}`,
    ...(isFinal && { isFinal }),
  };
}

function codeOf(response: string): number | null {
  const code = Number.parseInt(response, 10);
  return Number.isNaN(code) ? null : code;
}
