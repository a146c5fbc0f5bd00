/** No answer in time. */
export class Timeout extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
    this.name = 'Timeout';
  }
}

const ERROR_MAX_LENGTH = 200;
const words: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused: nothing listens there'],
  ['ECONNRESET', 'the connection was cut before an answer came'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_AGAIN', 'the host name could not be looked up: no name server answers'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the host does not answer'],
  ['EPIPE', 'the connection was cut before an answer came'],
  ['EPROTO', 'the receiver does not speak TLS as asked'],
]);

/** What a connection failed of, as one line without anything of the address or the message. */
export function faultOf(error: unknown): string {
  if (error instanceof Timeout) return error.message;
  const { code, message } = error as NodeJS.ErrnoException; // what connections fail with
  return words.get(code ?? '') ?? plainLine(message || code || 'the request failed');
}

/** Whatever came over the network as one line of plain text, up to 200 characters. */
export function plainLine(text: string): string {
  return text.replace(/[^ -~]+/g, ' ').slice(0, ERROR_MAX_LENGTH);
}
