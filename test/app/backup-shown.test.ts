import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBackup } from '../../src/app/backup-check.ts';
import type { Config } from '../../src/config/options.ts';
import { type TarSource, writeTar } from '../../src/lib/tar-stream.ts';
import { storeFile } from '../../src/store/store-file.ts';
import { BackupHouse, NOW } from '../support/backup-house.ts';

const ESCAPE = '\u001b[2J';

const house = new BackupHouse();
let appliance: Config;
beforeAll(async () => {
  appliance = await house.appliance();
}, 60_000);
afterAll(() => house.dispose());

async function* filesOf(parts: Readonly<Record<string, Buffer>>): AsyncGenerator<TarSource> {
  for (const [name, bytes] of Object.entries(parts))
    yield { name, size: bytes.length, modifiedAt: NOW, content: once(bytes) };
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface Made {
  readonly store?: Buffer;
  readonly caCert?: Buffer;
  /** Of the manifest. */
  readonly about?: object;
}

/** A plain backup as anybody could make it. */
async function made({ store, caCert, about }: Made): Promise<string> {
  const parts = {
    'db/tagkeep.mdb': store ?? readFileSync(storeFile(appliance.dataDir)),
    'certs/ca.key': readFileSync(join(appliance.certsDir, 'ca.key')),
    'certs/ca.crt': caCert ?? readFileSync(join(appliance.certsDir, 'ca.crt')),
  };
  const listed = Object.entries(parts).map(([name, bytes]) => ({
    ...{ name, size: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }));
  const said = { format: 1, version: '1.0.0', schemaVersion: 1, createdAt: new Date(NOW).toISOString() };
  const manifest = { ...said, host: 'box', tables: {}, parts: listed, ...about };
  const file = house.fresh();
  const all = { ...parts, 'manifest.json': Buffer.from(JSON.stringify(manifest)) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeTar(filesOf(all))) chunks.push(chunk);
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

async function refusal(file: string): Promise<string> {
  const check = { file, passphrase: null, passphraseFile: null, workDir: house.root };
  return verifyBackup(check).then(
    () => 'verified',
    (error: Error) => error.message,
  );
}

describe('what is shown of a backup', () => {
  it.each([
    ['version', { version: `1.0${ESCAPE}` }],
    ['tables', { tables: { [`orgs${ESCAPE}`]: 1 } }],
    ['parts', { parts: [{ name: ESCAPE, size: 1, sha256: '0'.repeat(64) }] }],
  ])('has no escapes of its %s for the terminal', async (_, about) => {
    const file = await made({ about });
    expect(await refusal(file)).toBe(
      `${file} can't be used: its manifest.json is not one this Tagkeep knows`,
    );
  });

  it('names the backup and the part that is wrong, never the folder it was unpacked to', async () => {
    const cases = [
      [{ store: Buffer.alloc(100_000) }, 'its db/tagkeep.mdb is damaged'],
      [
        { caCert: Buffer.alloc(70_000, 65) },
        'its certs/ca.crt: over 64 kB, so it is neither a key nor a certificate',
      ],
      [{ caCert: Buffer.from('x') }, 'its ca.crt is not a certificate in PEM'],
    ] as const;
    for (const [change, reason] of cases) {
      const file = await made(change);
      expect(await refusal(file)).toBe(`${file} can't be used: ${reason}`);
    }
  });
});
