import type { ProvisionedAtBench } from '../app/provision-and-push.ts';
import { type PushTarget, PushUsageError, pushTarget } from '../app/push-target.ts';
import { CliUsageError } from './context.ts';

/** Options of `tagkeep reader provision` that have to do with the reader on the bench. */
export interface BenchOptions {
  readonly push?: string;
  readonly pushPath?: string;
  readonly broker?: string;
}

/** Where to push to; null when nobody asked. Wrong values, and options that need `--push`, are bad usage. */
export function pushTargetOf(
  { push: url, pushPath: path, broker }: BenchOptions,
  credentials: { readonly user: string; readonly password: string },
): PushTarget | null {
  if (url === undefined) {
    const alone = path !== undefined ? '--push-path' : broker !== undefined ? '--broker' : null;
    if (alone !== null) throw new CliUsageError(`${alone} goes with --push`);
    return null;
  }
  try {
    return pushTarget({ url, path, broker, ...credentials });
  } catch (error) {
    throw error instanceof PushUsageError ? new CliUsageError(error.message) : error;
  }
}

/** Says what people should know of a push; on stderr, for stdout may be JSON. */
export function warn({ warnings }: Pick<ProvisionedAtBench, 'warnings'>): void {
  for (const line of warnings) process.stderr.write(`tagkeep: warning: ${line}\n`);
}

/** What was done to the reader, for people. */
export function pushLines({ push }: Pick<ProvisionedAtBench, 'push'>): readonly string[] {
  if (push === null) return [];
  const client = push.mqttClient === 'set-up' ? ', and its own MQTT client is set up' : '';
  return [`the reader has its identity files${client}`];
}
