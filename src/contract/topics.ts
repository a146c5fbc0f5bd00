/** What follows `svc/v1/{serial}/` in a broker topic. */
export const publishKinds = ['events', 'status', 'command-response'] as const;
export type PublishKind = (typeof publishKinds)[number];

const ROOT = 'svc/v1/';

/** The topic of `kind` for a reader's serial. */
export function topicOf(serial: string, kind: PublishKind | 'commands'): string {
  return `${ROOT}${serial}/${kind}`;
}
