import { expect, test } from 'vitest';
import { isLoopback, isLoopbackHost } from '../../src/http/loopback.ts';

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['::ffff:10.0.0.1', false],
  ['fd00::1', false],
  ['127.0.0.1.example', false],
  ['', false],
])('%j is of this machine only: %s', (address, expected) => {
  expect([isLoopback(address), isLoopbackHost(address)]).toEqual([expected, expected]);
});

test('so is the name localhost, of a host to listen on', () => {
  expect([isLoopbackHost('LocalHost'), isLoopbackHost('localhost.example')]).toEqual([true, false]);
});
