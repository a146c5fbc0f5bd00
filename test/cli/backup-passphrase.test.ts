import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readBackupPassphrase } from '../../src/cli/backup-passphrase.ts';

const root = mkdtempSync(join(tmpdir(), 'tagkeep-passphrase-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const WORDS = 'Öl und Käse für Zoë';

function read(content: string | Buffer, isNew = true): Promise<Buffer> {
  const file = join(root, 'passphrase');
  writeFileSync(file, content);
  return readBackupPassphrase({ passphraseFile: file }, isNew);
}

describe('the passphrase of a backup in a file', () => {
  it('that is no UTF-8 is taken byte by byte: another one does not open it', async () => {
    const [one, other] = [Buffer.from('passw\u00f6rter', 'latin1'), Buffer.from('passw\u00e4rter', 'latin1')];
    expect(await read(one)).toEqual(one);
    expect(await read(other)).toEqual(other);
    expect(await read(Buffer.concat([one, Buffer.from('\r\n')]))).toEqual(one);
  });

  it.each([
    ['composed', WORDS.normalize('NFC')],
    ['decomposed', WORDS.normalize('NFD')],
    ['behind the mark of an editor', `\ufeff${WORDS}`],
    ['with a line end', `${WORDS}\n`],
    ['with a line end of Windows', `${WORDS}\r\n`],
  ])('is the same one %s', async (_, content) => {
    expect(await read(content)).toEqual(Buffer.from(WORDS.normalize('NFC')));
  });

  it('keeps blanks and everything else as it is', async () => {
    expect(await read('  two blanks  \n')).toEqual(Buffer.from('  two blanks  '));
  });

  it('is refused when it is empty, has two lines, or is UTF-16; a new one when it is short', async () => {
    const bad = ['', '\n', '\ufeff\n', 'one line\nand another', Buffer.from('correct horse', 'utf16le')];
    for (const content of [...bad, 'x'.repeat(1001)])
      await expect(read(content)).rejects.toThrow('a passphrase is one line of 1 to 1000 bytes');
    await expect(read('ö'.normalize('NFD').repeat(9))).rejects.toThrow('10 characters');
    expect(await read('short', false)).toEqual(Buffer.from('short'));
  });
});
