import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { ConfigError } from '../../src/config/error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Config, declared } from '../../src/config/options.ts';

let root = '';
let folders = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tagkeep-config-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A fresh folder, with `content` as its appliance.config.json when given. */
function folder(content?: string | object, name = 'appliance.config.json'): string {
  folders += 1;
  const dir = join(root, String(folders));
  mkdirSync(dir);
  const text = typeof content === 'object' ? JSON.stringify(content) : content;
  if (text !== undefined) writeFileSync(join(dir, name), text);
  return dir;
}

const load = (content?: string | object, env: Record<string, string | undefined> = {}): Config =>
  loadConfig({ env, cwd: folder(content) });

function refusal(content?: string | object, env: Record<string, string | undefined> = {}): string {
  try {
    load(content, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError;
    expect(message).not.toMatch(/[\r\n]/);
    return message;
  }
  throw new Error('nothing was refused');
}

describe('defaults', () => {
  it('every default is itself an allowed value', () => {
    for (const { key, option } of declared) expect(option.read(option.default), key).toEqual(option.default);
  });

  it('hold when there is neither file nor variable, and relative folders start at the working folder', () => {
    const cwd = folder();
    const config = loadConfig({ env: {}, cwd });
    expect(config).toMatchObject({
      dataDir: join(cwd, 'data'),
      certsDir: join(cwd, 'certs'),
      http: { host: '127.0.0.1', port: 8080 },
      https: { host: '0.0.0.0', port: 8443, certFile: null, keyFile: null },
      mqtts: { host: '0.0.0.0', port: 8883, hostnames: [] },
      ingest: { maxClockSkewSeconds: 5 },
      presence: { windowSeconds: 300, sessionGapSeconds: 10 },
      location: { policy: 'immediate' },
      live: { tagReadIntervalMs: 1000, heartbeatSeconds: 15 },
      readers: { noDataSeconds: 300 },
      commands: { ackTimeoutSeconds: 30 },
      assets: { missingAfterMinutes: 1440 },
      alerts: { readerOfflineSeconds: 60, readerHotCelsius: 75 },
      retention: { visitsDays: 90 },
    });
  });

  it('the type of the configuration follows from the declarations', () => {
    expectTypeOf<Config['http']['port']>().toEqualTypeOf<number>();
    expectTypeOf<Config['location']['policy']>().toEqualTypeOf<'immediate' | 'stable'>();
    expectTypeOf<Config['https']['certFile']>().toEqualTypeOf<string | null>();
    expectTypeOf<Config['mqtts']['hostnames']>().toEqualTypeOf<readonly string[]>();
  });
});

describe('precedence', () => {
  it('the file overrides a default, a variable overrides the file, and neighbours stay', () => {
    const config = load({ http: { port: 1, host: '::1' } }, { TAGKEEP_HTTP__PORT: '2' });
    expect(config.http).toEqual({ host: '::1', port: 2 });
    expect(config.https.port).toBe(8443);
  });

  it('an empty variable counts as not set', () => {
    expect(load({ http: { port: 1 } }, { TAGKEEP_HTTP__PORT: '', TAGKEEP_DATA_DIR: '' }).http.port).toBe(1);
  });

  it('variables of others are left alone', () => {
    expect(load({}, { TAGKEEPER: 'x', MY_TAGKEEP_HTTP: 'x', HTTP__PORT: 'x' }).http.port).toBe(8080);
  });

  it('a camel-case key becomes a snake-case variable', () => {
    const variables = declared.map((d) => d.variable);
    expect(variables).toContain('TAGKEEP_DATA_DIR');
    expect(variables).toContain('TAGKEEP_LIVE__TAG_READ_INTERVAL_MS');
    expect(new Set(variables).size).toBe(variables.length);
  });
});

describe('the file', () => {
  it('a named file that does not exist is refused, an absent default file is not', () => {
    expect(() => loadConfig({ file: 'other.json', env: {}, cwd: folder() })).toThrow(
      /other\.json does not exist$/,
    );
  });

  it('the installed one counts when neither the command line nor the working folder has one', () => {
    const installedFile = join(folder({ presence: { windowSeconds: 7 } }), 'appliance.config.json');
    const windowOf = (more: { cwd: string; file?: string; installedFile?: string }): number =>
      loadConfig({ env: {}, installedFile, ...more }).presence.windowSeconds;
    expect(windowOf({ cwd: folder() })).toBe(7);
    expect(windowOf({ cwd: folder({ presence: { windowSeconds: 8 } }) })).toBe(8);
    const file = join(folder({ presence: { windowSeconds: 9 } }), 'appliance.config.json');
    expect(windowOf({ cwd: folder(), file })).toBe(9);
    expect(windowOf({ cwd: folder(), installedFile: join(root, 'absent.json') })).toBe(300);
  });

  it("paths in a named file start at that file's folder, paths in variables at the working folder", () => {
    const cwd = folder();
    const elsewhere = folder({ dataDir: 'd', https: { certFile: 'c.pem', keyFile: '/k.pem' } }, 'x.json');
    const config = loadConfig({ file: join(elsewhere, 'x.json'), env: { TAGKEEP_CERTS_DIR: 'v' }, cwd });
    expect(config.dataDir).toBe(join(elsewhere, 'd'));
    expect(config.https).toMatchObject({ certFile: join(elsewhere, 'c.pem'), keyFile: '/k.pem' });
    expect(config.certsDir).toBe(join(cwd, 'v'));
  });

  it('a folder in its place is refused', () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'appliance.config.json'));
    expect(() => loadConfig({ env: {}, cwd })).toThrow(/appliance\.config\.json is a folder$/);
  });

  it('a file over 1 MB is refused', () => {
    expect(refusal(`{"dataDir":"${'x'.repeat(1024 * 1024)}"}`)).toMatch(/larger than 1 MB$/);
  });

  it('broken JSON is refused with its place', () => {
    expect(refusal('{\n  "http": {,}\n}')).toMatch(/appliance\.config\.json is not valid JSON: .*line 2/);
    expect(refusal('')).toMatch(/is not valid JSON/);
  });

  it('a byte order mark is no error', () => {
    expect(load('\uFEFF{"http":{"port":5}}').http.port).toBe(5);
  });

  it.each(['[]', 'null', '7', '"x"'])('anything but an object is refused: %s', (text) => {
    expect(refusal(text)).toMatch(/must hold one JSON object$/);
  });

  it('a key given twice is refused, also with an escape in one of its spellings', () => {
    expect(refusal('{"http":{"port":1,"port":2}}')).toMatch(/^key "http\.port" in .* is given twice$/);
    expect(refusal('{"http":{},"log":{},"ht\\u0074p":{}}')).toMatch(/^key "http" in .* is given twice$/);
  });

  it('the same name in different objects, or inside a text, is not twice', () => {
    const text = '{"http":{"port":1},"https":{"port":2},"dataDir":"{\\"port\\":1,\\"port\\":2}"}';
    expect(load(text)).toMatchObject({ http: { port: 1 }, https: { port: 2 } });
  });
});

describe('unknown names', () => {
  it('a mistyped key is refused with what was probably meant', () => {
    expect(refusal({ http: { prot: 1 } })).toMatch(
      /^unknown key "http\.prot" in .*; did you mean "http\.port"\?$/,
    );
    expect(refusal({ license: {} })).toMatch(/^unknown key "license"/);
    expect(refusal({ ingest: { maxClockSkew: 1 } })).toMatch(/did you mean "ingest\.maxClockSkewSeconds"\?$/);
  });

  it('any other unknown key is refused with the keys there are', () => {
    expect(refusal({ http: { colour: 1 } })).toMatch(
      /^unknown key "http\.colour" in .*; known here: host, port$/,
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is an unknown key and harms nothing',
    (name) => {
      expect(refusal(`{"${name}":{"polluted":1}}`)).toMatch(new RegExp(`^unknown key "${name}"`));
      expect(refusal(`{"http":{"${name}":{"polluted":1}}}`)).toMatch(
        new RegExp(`^unknown key "http\\.${name}"`),
      );
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  it('an unknown variable is refused, even an empty one, with what was probably meant', () => {
    expect(refusal({}, { TAGKEEP_HTTP_PORT: '1' })).toBe(
      'unknown environment variable TAGKEEP_HTTP_PORT; did you mean TAGKEEP_HTTP__PORT?',
    );
    expect(refusal({}, { TAGKEEP_NONSENSE: '' })).toMatch(/^unknown environment variable TAGKEEP_NONSENSE;/);
  });

  it('an unknown name with a line break in it still makes one line', () => {
    expect(refusal({ 'a\nb': 1 })).toMatch(/^unknown key "a\\nb"/);
    expect(refusal({}, { 'TAGKEEP_A\nB': '1' })).toMatch(/TAGKEEP_A B/);
  });
});

describe('values', () => {
  it.each([
    [{ http: { port: 65_536 } }, /^http\.port in .* is 65536; must be a whole number from 0 to 65535$/],
    [{ http: { port: -1 } }, /^http\.port/],
    [{ http: { port: 1.5 } }, /^http\.port/],
    [{ http: { port: '80' } }, /^http\.port in .* is "80"; must be a whole number/],
    [{ http: { port: null } }, /^http\.port in .* is null/],
    [{ http: 8080 }, /^http in .* is 8080; must be an object with host, port$/],
    [{ http: [] }, /^http in .* is \[\]; must be an object/],
    [{ http: { host: 'http://x' } }, /^http\.host in .*; must be an IP address or a host name/],
    [{ http: { host: '1.2.3' } }, /^http\.host/],
    [{ http: { host: '' } }, /^http\.host/],
    [{ mqtts: { hostnames: 'a' } }, /^mqtts\.hostnames/],
    [{ mqtts: { hostnames: ['a', 1] } }, /^mqtts\.hostnames/],
    [{ mqtts: { hostnames: Array.from({ length: 65 }, (_, i) => `h${i}`) } }, /^mqtts\.hostnames/],
    [
      { location: { policy: 'Stable' } },
      /^location\.policy in .* is "Stable"; must be one of immediate, stable$/,
    ],
    [{ presence: { windowSeconds: 0 } }, /^presence\.windowSeconds/],
    [{ dataDir: '' }, /^dataDir in .* is ""; must be a path$/],
    [{ dataDir: 'a\0b' }, /^dataDir/],
    [{ dataDir: {} }, /^dataDir in .* is \{\}; must be a path$/],
    [{ log: { level: 'loud' } }, /^log\.level/],
    [
      { https: { certFile: 'c' } },
      /^https\.certFile is set but https\.keyFile is not; must be both or neither$/,
    ],
    [{ https: { keyFile: 'c' } }, /^https\.keyFile is set but https\.certFile is not/],
    [{ backup: { at: '24:00' } }, /^backup\.at in .* is "24:00"; must be a time of day, 00:00 to 23:59$/],
    [{ backup: { at: '2:00' } }, /^backup\.at/],
    [
      { backup: { everyHours: 5 } },
      /^backup\.everyHours in .* is 5; must be one of 1, 2, 3, 4, 6, 8, 12, 24$/,
    ],
    [
      { backup: { dir: 'd' } },
      /^backup\.dir is set, but neither backup\.passphraseFile nor backup\.plain is: /,
    ],
    [
      { backup: { plain: true, passphraseFile: 'p' } },
      /^backup\.plain is true and backup\.passphraseFile is set/,
    ],
  ])('a bad value in the file is refused, naming the key: %j', (content, message) => {
    expect(refusal(content)).toMatch(message);
  });

  it.each(['0x50', '8e2', ' 80', '80 ', '+80', '80.0.0', 'eighty', '80,5', '９', 'Infinity', 'NaN', '-'])(
    'a number in a variable is read strictly: %j is refused',
    (text) => {
      expect(refusal({}, { TAGKEEP_HTTP__PORT: text })).toMatch(
        /^TAGKEEP_HTTP__PORT \(http\.port\) is ".*"; must be a whole/,
      );
    },
  );

  it('port 0 and fractions of minutes are allowed', () => {
    const config = load({}, { TAGKEEP_HTTP__PORT: '0', TAGKEEP_ASSETS__MISSING_AFTER_MINUTES: '0.05' });
    expect(config).toMatchObject({ http: { port: 0 }, assets: { missingAfterMinutes: 0.05 } });
  });

  it('any whole number is accepted as a port exactly when it is one, from file and variable alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: -70_000, max: 140_000 }), (n) => {
        const entry = declared.find((d) => d.key === 'http.port');
        const read = entry?.option.read(entry.option.fromText(String(n)));
        expect(read).toBe(n >= 0 && n <= 65_535 ? n : undefined);
        expect(entry?.option.read(n)).toBe(read);
      }),
    );
  });

  it('host names are an array in the file and comma separated in a variable, each once', () => {
    expect(load({ mqtts: { hostnames: ['a.example', '10.0.0.1', 'a.example'] } }).mqtts.hostnames).toEqual([
      'a.example',
      '10.0.0.1',
    ]);
    expect(load({}, { TAGKEEP_MQTTS__HOSTNAMES: 'a.example, ::1' }).mqtts.hostnames).toEqual([
      'a.example',
      '::1',
    ]);
    expect(refusal({}, { TAGKEEP_MQTTS__HOSTNAMES: 'a,,b' })).toMatch(/^TAGKEEP_MQTTS__HOSTNAMES/);
  });

  it('a long bad value is cut short in the message', () => {
    expect(refusal({ http: { host: '!'.repeat(5000) } }).length).toBeLessThan(400);
  });
});

describe('licence.publicKey', () => {
  const pem = (type: 'ed25519' | 'x25519'): { publicKey: string; privateKey: string } => {
    const pair = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519');
    return {
      publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  };

  it('is taken in PEM; a variable may write its line breaks as \\n', () => {
    const { publicKey } = pem('ed25519');
    expect(load({ licence: { publicKey } }).licence.publicKey).toBe(publicKey);
    const env = { TAGKEEP_LICENCE__PUBLIC_KEY: publicKey.replaceAll('\n', '\\n') };
    expect(load({}, env).licence.publicKey).toBe(publicKey);
  });

  it('a private key, another kind of key or a torn one is refused and never repeated', () => {
    for (const bad of [
      pem('ed25519').privateKey,
      pem('x25519').publicKey,
      '-----BEGIN PUBLIC KEY-----\nMC4C',
    ]) {
      const message = refusal({ licence: { publicKey: bad } });
      expect(message).toMatch(/^licence\.publicKey in .* is not usable; must be an Ed25519 public key/);
      expect(message).not.toContain(bad.split('\n')[1]);
    }
  });
});
