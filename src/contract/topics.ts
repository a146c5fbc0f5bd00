/** What follows `svc/v1/{serial}/` in a broker topic. */
export const publishKinds = ['events', 'status', 'command-response'] as const;
export type PublishKind = (typeof publishKinds)[number];

const ROOT = 'svc/v1/';

/** A serial is a certificate's common name and a topic level at once: 1 to 64 letters, digits, dots, underscores and hyphens. */
export const readerSerialPattern = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether `value` can be a reader's serial: never a wildcard, a separator, blank or a list of names. */
export function isReaderSerial(value: unknown): value is string {
  return typeof value === 'string' && readerSerialPattern.test(value);
}

/** The topic of `kind` for a reader's serial. */
export function topicOf(serial: string, kind: PublishKind | 'commands'): string {
  return `${ROOT}${serial}/${kind}`;
}
