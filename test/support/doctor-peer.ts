// `doctor` and `support-bundle` as processes of their own, beside a running appliance: `doctor [--json]`, `support-bundle FILE`.
import { doctor } from '../../src/cli/doctor.ts';
import { supportBundle } from '../../src/cli/support-bundle.ts';

const [command, argument] = process.argv.slice(2);
try {
  if (command === 'doctor') await doctor({ json: argument === '--json' });
  else await supportBundle(argument ?? '', {});
} catch (error) {
  process.stderr.write(`tagkeep: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
