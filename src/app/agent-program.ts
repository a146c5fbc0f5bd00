/** What the command line needs of the agent. */
export { AgentUsageError, agentOptions, type TypedOptions } from '../agent/options.ts';
export { runAgent } from '../agent/run-agent.ts';
