import { runProgram } from '../cli/program.ts';

// Packages make files as loosely as they are let: LevelDB's hold what waits for readers.
process.umask(0o077);
process.exitCode = await runProgram(process.argv);
