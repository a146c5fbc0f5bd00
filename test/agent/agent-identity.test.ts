import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { IdentityError, loadAgentIdentity } from '../../src/agent/agent-identity.ts';
import { credentials } from '../simulator/local-support.ts';
import { makeBrokerPki } from '../support/broker-certs.ts';
import { SERIAL, writeIdentity } from './reader-bench.ts';

const DAY_MS = 86_400_000;
const pki = makeBrokerPki();
const dir = mkdtempSync(join(tmpdir(), 'tagkeep-identity-'));
beforeEach(() => {
  writeIdentity(dir, pki);
  for (const name of ['client.key', 'svc.json']) chmodSync(join(dir, name), 0o600);
});
afterAll(() => {
  pki.remove();
  rmSync(dir, { recursive: true, force: true });
});

function problems(now = Date.now()): readonly string[] {
  try {
    loadAgentIdentity(dir, now);
    return [];
  } catch (error) {
    if (error instanceof IdentityError) return error.lines;
    throw error;
  }
}

describe("the agent's identity", () => {
  it('is the four files of the contract', () => {
    const { identity, login, warnings } = loadAgentIdentity(dir, Date.now());
    expect(identity.serial).toBe(SERIAL);
    expect(login).toEqual(credentials);
    expect(warnings).toHaveLength(1); // made for a few days, which is soon over
  });

  it.each(['client.key', 'svc.json'])(
    'is refused when other users can read %s, with what to do about it',
    (name) => {
      chmodSync(join(dir, name), 0o640);
      const file = join(dir, name);
      expect(problems()).toEqual([`${file}: other users can get at it (mode 0640); run: chmod 600 ${file}`]);
    },
  );

  it('is refused when the certificate is of another authority', () => {
    const other = makeBrokerPki();
    writeFileSync(join(dir, 'ca.crt'), other.ca.cert);
    other.remove();
    expect(problems()).toEqual([`${join(dir, 'client.crt')}: was not issued by the authority in ca.crt`]);
  });

  it('is taken with an authority file that holds several', () => {
    const other = makeBrokerPki();
    writeFileSync(join(dir, 'ca.crt'), `${other.ca.cert}\n${pki.ca.cert}`);
    other.remove();
    expect(problems()).toEqual([]);
  });

  it('is refused when the key is of another certificate', () => {
    writeFileSync(join(dir, 'client.key'), pki.client('other').key);
    expect(problems()).toEqual([`${join(dir, 'client.key')}: is not the private key of client.crt`]);
  });

  it.each([
    ['no JSON', 'svc.json: is not JSON'],
    ['null', 'svc.json: must be {"user"'],
    ['{"user":"root"}', 'svc.json: must be {"user"'],
    ['{"user":"a:b","password":"c"}', 'svc.json: must be {"user"'],
    ['{"user":"","password":"c"}', 'svc.json: must be {"user"'],
    [`{"user":"u","password":"${'p'.repeat(201)}"}`, 'svc.json: must be {"user"'],
  ])('is refused when svc.json is no login, whose content is not shown: %s', (text, line) => {
    writeFileSync(join(dir, 'svc.json'), text);
    expect(problems()).toEqual([expect.stringContaining(line)]);
    if (text.length > 10) expect(problems()[0]).not.toContain(text);
  });

  it('tells everything that is wrong at once, a line each', () => {
    for (const name of ['ca.crt', 'svc.json']) rmSync(join(dir, name));
    writeFileSync(join(dir, 'client.crt'), 'nothing');
    chmodSync(join(dir, 'client.key'), 0o644);
    const lines = problems();
    expect(lines).toHaveLength(4);
    for (const [at, part] of [
      'ca.crt: is missing',
      'client.crt: is not a PEM',
      'client.key: other',
      'svc.json: is missing',
    ].entries()) {
      expect(lines[at]).toContain(part);
    }
  });

  it('is usable with a certificate that has ended or not begun, which may be the clock, but that is said', () => {
    const warned = (now: number): string => loadAgentIdentity(dir, now).warnings.join();
    expect(warned(Date.now() + 365 * DAY_MS)).toContain('client.crt: has expired on');
    expect(warned(Date.now() - 365 * DAY_MS)).toContain("is this reader's clock right?");
    expect(warned(Date.now())).toContain('client.crt: expires on');
  });
});
