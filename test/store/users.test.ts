import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { Refused } from '../../src/domain/refusal.ts';
import type { UserRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import {
  addUser,
  changeUser,
  hashPassword,
  makePassword,
  parseEmail,
  removeUser,
  userByEmail,
  userOf,
  usersOf,
  verifyPassword,
} from '../../src/store/users.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

function user(more: Partial<UserRecord> = {}): UserRecord {
  const id = randomUUID();
  const rest = { email: `${id}@a.example`, role: 'admin' as const, passwordHash: '', createdAt: 0 };
  return { id, orgId: 'ours', ...rest, ...more };
}

const add = (record: UserRecord): Promise<void> => folder.store.write((tx) => addUser(tx, record));
const kindOf = async (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => 'done',
    (error) => (error instanceof Refused ? error.refusal.kind : String(error)),
  );

describe('passwords', () => {
  test('are kept as scrypt with cost and salt, and checked against that', async () => {
    const kept = await hashPassword('correct horse');
    expect(kept).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hashPassword('correct horse')).not.toBe(kept);
    expect(await verifyPassword('correct horse', kept)).toBe(true);
    expect(await verifyPassword('correct horsf', kept)).toBe(false);
  });

  test('one kept at another cost is checked at that cost', async () => {
    // RFC 7914, section 12, but for the length: the first 32 bytes are the same.
    const salt = Buffer.from('NaCl').toString('base64url');
    const hash = 'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162';
    const kept = `scrypt$1024$8$16$${salt}$${Buffer.from(hash, 'hex').toString('base64url')}`;
    expect(await verifyPassword('password', kept)).toBe(true);
  });

  test('the same characters match however they are composed', async () => {
    const kept = await hashPassword('caf\u00e9-au-lait');
    expect(await verifyPassword('cafe\u0301-au-lait', kept)).toBe(true);
  });

  test('nobody has a password, and finding that out takes as long as a wrong one', async () => {
    const kept = await hashPassword('correct horse');
    const timeOf = async (hash: string | null): Promise<number> => {
      const before = performance.now();
      expect(await verifyPassword('wrong', hash)).toBe(false);
      return performance.now() - before;
    };
    const [nobody, somebody] = [await timeOf(null), await timeOf(kept)];
    expect(nobody).toBeGreaterThan(somebody / 5);
    expect(await verifyPassword('', 'rubbish')).toBe(false);
  });

  test('a made one has 20 letters and digits', () => {
    expect(makePassword()).toMatch(/^[A-Za-z0-9]{20}$/);
    expect(makePassword()).not.toBe(makePassword());
  });
});

describe('e-mail addresses', () => {
  test.each([
    [' Ada@Example.ORG ', 'ada@example.org'],
    ['ada', null],
    ['@example.org', null],
    ['ada@', null],
    ['a b@example.org', null],
    ['a@b@c', null],
    ['a\u0000b@example.org', null],
    ['a\u001b[2J@example.org', null],
    ['a\u202eb@example.org', null],
    ['a\ud800@example.org', null],
    [`${'x'.repeat(65)}@example.org`, null],
    ['jos\u00e9@example.org', 'jos\u00e9@example.org'],
    ['jose\u0301@example.org', 'jos\u00e9@example.org'],
  ])('%j is compared as %j', (text, email) => {
    expect(parseEmail(text)).toBe(email);
  });

  test('one that was taken is taken again, as it is, and fits into a key', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(part, part, (local, host) => {
        const email = parseEmail(`${local}@${host}`);
        if (email === null) return;
        expect(parseEmail(email)).toBe(email);
        expect(Buffer.byteLength(email)).toBeLessThan(1900);
      }),
    );
  });
});

describe('users', () => {
  test('an address belongs to one user of the appliance, and is free again when the user is gone', async () => {
    const [first, second] = [user({ email: 'a@b' }), user({ email: 'a@b', orgId: 'theirs' })];
    await add(user());
    await add(first);
    expect(await kindOf(add(second))).toBe('email-taken');
    expect(userByEmail(folder.store, 'a@b')).toEqual(first);
    await folder.store.write((tx) => removeUser(tx, first));
    await add(second);
    expect(userByEmail(folder.store, 'a@b')).toEqual(second);
  });

  test('are known in their own organisation only, sorted by address', async () => {
    const [b, a, theirs] = [user({ email: 'b@x' }), user({ email: 'a@x' }), user({ orgId: 'theirs' })];
    for (const one of [b, a, theirs]) await add(one);
    expect(usersOf(folder.store, 'ours')).toEqual([a, b]);
    expect(userOf(folder.store, 'ours', theirs.id)).toBeUndefined();
  });

  test('the last administrator of an organisation stays', async () => {
    const [admin, operator] = [user(), user({ role: 'operator' })];
    for (const one of [admin, operator, user({ orgId: 'theirs' })]) await add(one);
    const demote = folder.store.write((tx) => changeUser(tx, admin, { role: 'operator' }));
    expect(await kindOf(demote)).toBe('last-admin');
    expect(await kindOf(folder.store.write((tx) => removeUser(tx, admin)))).toBe('last-admin');
    await folder.store.write((tx) => changeUser(tx, operator, { role: 'admin' }));
    expect(await kindOf(folder.store.write((tx) => removeUser(tx, admin)))).toBe('done');
    expect(usersOf(folder.store, 'ours')).toEqual([{ ...operator, role: 'admin' }]);
  });

  test('two administrators who demote each other at once leave one', async () => {
    const [one, two] = [user(), user()];
    for (const each of [one, two]) await add(each);
    const demotions = [one, two].map((each) =>
      kindOf(folder.store.write((tx) => changeUser(tx, each, { role: 'operator' }))),
    );
    expect((await Promise.all(demotions)).sort()).toEqual(['done', 'last-admin']);
  });

  test(`an organisation has ${limits.usersPerOrganisation} at most`, async () => {
    await folder.store.write((tx) => {
      for (let i = 0; i < limits.usersPerOrganisation; i++) {
        const one = user();
        tx.put(tables.users, one.id, one);
      }
    });
    expect(await kindOf(add(user()))).toBe('invalid');
    expect(await kindOf(add(user({ orgId: 'theirs' })))).toBe('done');
  });
});
