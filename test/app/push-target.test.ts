import { describe, expect, test } from 'vitest';
import { defaultPushPath, PushUsageError, pushTarget } from '../../src/app/push-target.ts';

const options = { url: 'https://10.0.0.7', user: 'root', password: 'impinj' };

describe('the options of a push', () => {
  test.each([
    ['https://10.0.0.7', '10.0.0.7', 443],
    ['https://10.0.0.7/', '10.0.0.7', 443],
    ['https://impinj-1a-2b-3c.local:8443', 'impinj-1a-2b-3c.local', 8443],
    ['https://[fe80::1]', 'fe80::1', 443],
  ])('--push %s', (url, host, port) => {
    expect(pushTarget({ ...options, url })).toMatchObject({
      host,
      port,
      path: defaultPushPath,
      broker: null,
    });
  });

  test.each([
    '10.0.0.7',
    'http://10.0.0.7',
    'https://',
    'https://a/b',
    'https://a?b',
    'https://a#b',
    'ftp://a',
    '',
  ])('--push "%s" is refused', (url) => {
    expect(() => pushTarget({ ...options, url })).toThrow('https://HOST');
  });

  test('a password in --push is refused and not repeated', () => {
    const url = 'https://root:impinj@10.0.0.7';
    expect(() => pushTarget({ ...options, url })).toThrow(/^--push names a user; use --reader-user[^:]*$/);
  });

  test.each(['', 'files', '/files/', '/a/../b', '/a/./b', '/a b', '/a?b', '/a%2f', `/${'x'.repeat(255)}`])(
    '--push-path "%s" is refused',
    (path) => {
      expect(() => pushTarget({ ...options, path })).toThrow('--push-path');
    },
  );

  test.each([
    ['tagkeep.local:8883', 'tagkeep.local', 8883],
    ['10.0.0.5:9999', '10.0.0.5', 9999],
    ['tagkeep.local', 'tagkeep.local', 8883],
    ['[::1]:8883', '::1', 8883],
  ])('--broker %s', (broker, host, port) => {
    expect(pushTarget({ ...options, broker }).broker).toEqual({ host, port });
  });

  test.each([
    '',
    ':8883',
    'a:0',
    'a:65536',
    'a:b',
    'mqtts://a:1',
    'a/b',
    'u@a:1',
    'a b',
    `${'x'.repeat(254)}:1`,
  ])('--broker "%s" is refused', (broker) => {
    expect(() => pushTarget({ ...options, broker })).toThrow('--broker');
  });

  test('--reader-user with a colon is refused', () => {
    expect(() => pushTarget({ ...options, user: 'a:b' })).toThrow(PushUsageError);
  });
});
