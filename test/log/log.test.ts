import { describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../src/log/log.ts';

function capture(options: { level?: 'info' | 'warn' | 'silent'; pretty?: boolean } = {}): {
  log: Log;
  lines: string[];
} {
  const lines: string[] = [];
  const out = { write: (line: string) => lines.push(line) };
  return { log: createLog({ level: 'info', pretty: false, out, ...options }), lines };
}

const API_KEY = `tk_${'aB3-_'.repeat(9).slice(0, 43)}`;
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIOsecret\n-----END PRIVATE KEY-----\n';

describe('records', () => {
  it('are one JSON object per line with time, level, name, message and fields', () => {
    const { log, lines } = capture();
    log.child({ name: 'broker' }).info({ serial: 'R-1', port: 3 }, 'reader connected');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    const record = JSON.parse(lines[0] ?? '');
    expect(record).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: 'broker',
      serial: 'R-1',
      port: 3,
      msg: 'reader connected',
    });
  });

  it('stay one line when a message holds line breaks', () => {
    const { log, lines } = capture();
    log.info('one\ntwo');
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  });

  it('below the level are not written', () => {
    const { log, lines } = capture({ level: 'warn' });
    log.info('quiet');
    log.warn('loud');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['loud']);
  });

  it('hold an error with its message, code and stack under err', () => {
    const { log, lines } = capture();
    log.error({ err: Object.assign(new Error('no space'), { code: 'ENOSPC' }) }, 'write failed');
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
      type: 'Error',
      message: 'no space',
      code: 'ENOSPC',
    });
    expect(JSON.parse(lines[0] ?? '').err.stack).toContain('log.test.ts');
  });

  it('hold dates as text and survive circles', () => {
    const { log, lines } = capture();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    log.info({ at: new Date(0), circle }, 'odd values');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ at: '1970-01-01T00:00:00.000Z', msg: 'odd values' });
  });
});

describe('secrets', () => {
  it.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'password',
    'key',
    'apiKey',
    'privateKey',
    'token',
  ])('a member named %s is replaced at any depth, in fields and in the fields of a named logger', (name) => {
    const { log, lines } = capture();
    log.child({ [name]: 'hush-1' }).info({ [name]: 'hush-2', req: { headers: [{ [name]: 'hush-3' }] } }, 'x');
    expect(lines[0]).not.toContain('hush');
    expect(lines[0]).toContain('[redacted]');
  });

  it.each([
    ['an API key', API_KEY],
    ['a bearer token', 'Bearer abcdefghijkl.mnop'],
    ['a private key in PEM', PEM],
  ])('%s is replaced in messages, fields and errors, and the record stays valid JSON', (_, secret) => {
    const { log, lines } = capture();
    const err = Object.assign(new Error(`with ${secret}`), {
      request: { headers: { Authorization: secret } },
    });
    log.info({ text: `see ${secret}`, list: [secret], err }, `got ${secret} and more`);
    const bare = secret.replace('Bearer ', '').split('\n')[1] ?? secret.replace('Bearer ', '');
    expect(lines[0]).not.toContain(bare);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      text: expect.stringContaining('[redacted]'),
    });
  });

  it('a private key cut off in the middle is replaced too', () => {
    const { log, lines } = capture();
    log.info({ after: 1 }, PEM.slice(0, 50));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: '[redacted]', after: 1 });
  });

  it('what only resembles one stays', () => {
    const { log, lines } = capture();
    log.info({ keyCount: 2, fieldKey: 'serial', monkey: 'x' }, 'tk_short');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      keyCount: 2,
      fieldKey: 'serial',
      monkey: 'x',
      msg: 'tk_short',
    });
  });
});

describe('in a terminal', () => {
  it('a record is a plain line: time, level, name, message, fields', () => {
    const { log, lines } = capture({ pretty: true });
    log.child({ name: 'broker' }).warn({ serial: 'R-1', text: 'two words' }, 'reader connected');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}broker {5}reader connected serial=R-1 text="two words"\n$/,
    );
  });

  it('the stack of an error follows, indented', () => {
    const { log, lines } = capture({ pretty: true });
    log.error({ err: new Error('broken') }, 'failed');
    expect(lines[0]).toMatch(/ERROR {2,}failed\n {4}Error: broken\n {8}at /);
  });

  it('control characters from outside are printed, not obeyed', () => {
    const { log, lines } = capture({ pretty: true });
    log.info({ clientId: 'a\u001b[2Jb', 'k\u001b': 1 }, 'x\u001b[31my\u0007');
    expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u);
    expect(lines[0]).toContain('x\\u001b[31my\\u0007');
  });

  it('secrets are replaced as well', () => {
    const { log, lines } = capture({ pretty: true });
    log.info({ password: 'hush' }, `key ${API_KEY}`);
    expect(lines[0]).toMatch(/key \[redacted\] password="\[redacted\]"/);
  });
});
