import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'tagkeep-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('scripts/lint-openapi.mjs', () => {
  test('--write writes the document a real appliance serves, and ends that appliance', async () => {
    const file = join(folder, 'openapi.json');
    await run(process.execPath, ['scripts/lint-openapi.mjs', '--write', file]);
    const document = JSON.parse(readFileSync(file, 'utf8'));
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Tagkeep' } });
    expect(Object.keys(document.paths)).toContain('/zones');
  });

  test('an unknown option is refused in one line', async () => {
    const failed = await run(process.execPath, ['scripts/lint-openapi.mjs', '--wat']).catch((error) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: 'lint-openapi: usage: lint-openapi.mjs [--write FILE]\n',
    });
  });
});
