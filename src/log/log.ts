import { type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino';
import { plainLine } from './plain.ts';
import { redactMembers } from './redact.ts';

/** A logger; `log.child({ name: 'broker' })` makes the named one each part of the appliance holds. */
export type Log = Logger;

/** `pretty`: lines for people instead of JSON, by default in a terminal. `out` takes each line, by default stdout does. */
export interface LogOptions {
  readonly level: LevelWithSilent;
  readonly pretty?: boolean;
  readonly out?: { write(line: string): unknown };
}

/**
 * The appliance's root logger: one JSON record per line with `time` (ISO 8601 UTC), `level` (its name), `msg` and
 * fields; errors under `err`. Secrets are replaced before anything is written, at any depth.
 */
export function createLog({
  level,
  pretty = process.stdout.isTTY === true,
  out = stdout(),
}: LogOptions): Log {
  const write = (line: string): void => {
    // The finished record is what gets redacted: fields, a child's own fields, errors and the message all end in it.
    const record = redactMembers(JSON.parse(line));
    out.write(pretty ? plainLine(record) : `${JSON.stringify(record)}\n`);
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, formatters }, { write });
}

// Synchronous: the last words of a process that is going down are the ones that matter.
function stdout(): { write(line: string): unknown } {
  return pino.destination({ fd: process.stdout.fd, sync: true });
}
