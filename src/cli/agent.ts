import { AgentUsageError, agentOptions, runAgent, type TypedOptions } from '../app/agent-program.ts';
import { CliUsageError } from './context.ts';

/** `tagkeep agent`: the on-reader agent, until a signal ends it. */
export async function agent(typed: TypedOptions): Promise<void> {
  const code = await runAgent(checked(typed));
  // What it could not do it has said itself, a line each.
  process.exit(code);
}

function checked(typed: TypedOptions): ReturnType<typeof agentOptions> {
  try {
    return agentOptions(typed);
  } catch (error) {
    throw error instanceof AgentUsageError ? new CliUsageError(error.message) : error;
  }
}
