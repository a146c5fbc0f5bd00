import { availableParallelism, cpus, release } from 'node:os';
import type { Fault, FaultOutcome } from './fault.ts';
import type { SuiteOptions } from './options.ts';

/** A fault that was run. */
export interface Result {
  readonly fault: Fault;
  readonly outcome: FaultOutcome;
  readonly seconds: number;
}

const FAULTS_SHOWN = 20;

/** The table people read, with everything that was seen against it below. */
export function markdownOf(results: readonly Result[]): string {
  const rows = results.map(({ fault, outcome }) => [
    ...[fault.name, fault.must],
    outcome.figures.map(({ what, value }) => `${what}: ${value}`).join('; ') || '-',
    outcome.held ? 'yes' : '**no**',
  ]);
  const table = [['fault', 'what must hold', 'figures', 'held'], ['---', '---', '---', '---'], ...rows];
  return [
    `${new Date().toISOString()}, ${machine()}`,
    '',
    ...table.map((cells) => `| ${cells.map(escaped).join(' | ')} |`),
    ...results.flatMap(contradictions),
  ].join('\n');
}

/** The same for programs. */
export function jsonOf(results: readonly Result[], { quick, seed, minutes }: SuiteOptions): object {
  return {
    ...{ at: new Date().toISOString(), machine: machine(), quick, seed, minutes },
    faults: results.map(({ fault: { name, must }, outcome: { held, figures, faults }, seconds }) => ({
      ...{ name, must, held, seconds: Math.round(seconds), figures, faults },
    })),
  };
}

function contradictions({ fault, outcome: { faults } }: Result): readonly string[] {
  if (faults.length === 0) return [];
  const shown = faults.slice(0, FAULTS_SHOWN).map((line) => `- ${line.replace(/\s+/g, ' ')}`);
  const more = faults.length - shown.length;
  return ['', `${fault.name}:`, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])];
}

function escaped(cell: string): string {
  return cell.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${processor}, ${availableParallelism()} cores, Linux ${release()}, Node ${process.version}`;
}
