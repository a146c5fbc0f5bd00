import { type DoctorReport, examine } from '../app/doctor.ts';
import { counted, type Finding } from '../app/doctor-finding.ts';
import { withSight } from '../app/doctor-sight.ts';
import { CliError, type CommonOptions, configOf } from './context.ts';
import { print, tableLines } from './output.ts';

/**
 * `tagkeep doctor [--json]`: looks at everything that tends to go wrong, beside a running appliance and without one, and
 * changes nothing. Ends with exit code 1 when there is a fault.
 */
export async function doctor(options: CommonOptions): Promise<void> {
  const report = await withSight({ config: configOf(options), now: Date.now() }, (sight) =>
    examine(sight, { showPayloads: true }),
  );
  print(report, options, doctorLines(report));
  const { fault } = report.counts;
  if (fault > 0) throw new CliError(`the doctor found ${counted(fault, 'fault')}`);
}

/** The report for people: a line for each finding, what was found of one matter together, and a last line that counts. */
export function doctorLines({ findings, counts }: DoctorReport): readonly string[] {
  const rows = findings.map((finding) => [
    levelWords[finding.level],
    finding.check,
    finding.subject ?? '-',
    finding.advice === undefined ? finding.message : `${finding.message} - ${finding.advice}`,
  ]);
  const { fault, warning, note } = counts;
  const sum = [counted(fault, 'fault'), counted(warning, 'warning'), counted(note, 'note')].join(', ');
  return [...tableLines(['', 'CHECK', 'OF', 'FOUND'], rows), sum];
}

const levelWords: Readonly<Record<Finding['level'], string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'WARNING',
  fault: 'FAULT',
};
