/** From nothing to do to something that must be done: a `fault` keeps the appliance, or a reader, from its work. */
export const findingLevels = ['ok', 'note', 'warning', 'fault'] as const;
export type FindingLevel = (typeof findingLevels)[number];

/** One thing the doctor looked at. */
export interface Finding {
  /** What was looked at: `disk`, `reader.status`. */
  readonly check: string;
  readonly level: FindingLevel;
  /** Whose: a reader, a file, an organisation. */
  readonly subject?: string;
  /** One sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Findings of one check and level that are told; of more only the number. */
const TOLD_MAX = 50;

/** The first 50 findings of each check and level, and one that says how many more there are. */
export function bounded(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.check} ${finding.level}`;
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length <= TOLD_MAX) return group;
    const more = { check: first.check, level: first.level, message: `and ${group.length - TOLD_MAX} more` };
    return [...group.slice(0, TOLD_MAX), more];
  });
}

/** `1 reader`, `2 readers`. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
