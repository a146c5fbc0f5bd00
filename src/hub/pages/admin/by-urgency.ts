import type { DoctorAnswer } from '../../../contract/system.ts';

type Finding = DoctorAnswer['findings'][number];

export interface KeyedFinding {
  readonly finding: Finding;
  /** Unlike all others; the same for the same finding of the next look. */
  readonly key: string;
}

const order = ['fault', 'warning', 'note'] as const;

/** Findings that want something done, the worst first and else as they came, and those that are all right. */
export function byUrgency(findings: readonly Finding[]): {
  readonly urgent: readonly KeyedFinding[];
  readonly good: readonly KeyedFinding[];
} {
  const keyed = findings.map((finding, place) => ({ finding, key: `${finding.check} ${place}` }));
  return {
    urgent: order.flatMap((level) => keyed.filter(({ finding }) => finding.level === level)),
    good: keyed.filter(({ finding }) => finding.level === 'ok'),
  };
}
