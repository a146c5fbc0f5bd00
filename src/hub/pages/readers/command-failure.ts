/** Kinds of reasons for which a command fails; each has a sentence that explains it. */
export type FailureKind =
  | 'timeout'
  | 'preset'
  | 'permission'
  | 'unreachable'
  | 'started'
  | 'busy'
  | 'agent'
  | 'other';

const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  ['timeout', /^timeout$/i],
  ['preset', /preset not found/i],
  ['permission', /permission denied|HTTP 40[13]\b|unauthori[sz]ed|forbidden/i],
  ['unreachable', /ECONN|EHOST|ENET|ETIMEDOUT|nobody listens|no answer in|broke off|reader offline/i],
  ['started', /already (started|running)/i],
  ['busy', /\bbusy\b|HTTP 409\b|conflict/i],
  ['agent', /agent failed/i],
];

/** What kind of reason the words are that a command came back with. Pure. */
export function failureKind(error: string): FailureKind {
  return kinds.find(([, pattern]) => pattern.test(error))?.[0] ?? 'other';
}
