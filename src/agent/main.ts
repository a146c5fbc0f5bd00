import { parseArgs } from 'node:util';
import { AgentUsageError, agentOptions } from './options.ts';
import { runAgent } from './run-agent.ts';
import { agentVersion } from './version.ts';

const USAGE = `usage: tagkeep-agent [--dir DIR] [--broker mqtts://HOST:PORT] [--reader https://HOST]
                     [--forward-events] [--buffer-mb N]`;

/** The agent by itself, as it is put on a reader. Exit codes: 0 stopped, 1 identity not usable, 2 bad usage. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, strict: true });
    if (values.help) return said(USAGE);
    if (values.version) return said(agentVersion);
    const { dir, broker, reader } = values;
    const options = {
      dir,
      broker,
      reader,
      bufferMb: values['buffer-mb'],
      forwardEvents: values['forward-events'],
    };
    return await runAgent(agentOptions(options));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
    process.stderr.write(`tagkeep-agent: ${reason}\n`);
    return isUsageError(error) ? 2 : 1;
  }
}

const flags = {
  dir: { type: 'string' },
  broker: { type: 'string' },
  reader: { type: 'string' },
  'forward-events': { type: 'boolean' },
  'buffer-mb': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

function isUsageError(error: unknown): boolean {
  if (error instanceof AgentUsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function said(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
// A call to a reader that does not answer would keep the process for seconds.
process.exit();
