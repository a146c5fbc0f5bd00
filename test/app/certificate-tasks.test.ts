import { expect, test } from 'vitest';
import { certificateTasks } from '../../src/app/certificate-tasks.ts';
import type { ServerCertificate } from '../../src/pki/server-certificate.ts';

const made: ServerCertificate = {
  ...{ certPem: 'leaf', keyPem: 'key', chainPem: 'leaf+ca', notBefore: 0, notAfter: Date.UTC(2028, 0, 1) },
  issuedBecause: 'there was none',
};

/** The tasks of an appliance, and what they did. */
function rig(own: boolean, { isSteady = true, isNotYetValid = false, now = (): number => 0 } = {}) {
  const happened: string[] = [];
  const files = { certFile: '/nowhere/web.crt', keyFile: '/nowhere/web.key' };
  const tasks = certificateTasks({
    ...{ hostnames: [], now, isSteady: () => isSteady, isNotYetValid: () => isNotYetValid },
    log: { info() {}, warn: (_fields: object, text: string) => void happened.push(text) },
    warnings: () => ['it ends soon'],
    authority: { ensureServer: async () => made },
    given: own ? null : { current: { cert: 'c', key: 'k' }, files },
    onRenewed: ({ notAfter }) => happened.push(`broker ${notAfter === made.notAfter}`),
    replaceWeb: ({ cert, key }) => void happened.push(`web ${cert} ${key}`),
  });
  return { tasks, happened };
}

test("a renewed certificate of the appliance's own goes to the broker and to HTTPS", async () => {
  const { tasks, happened } = rig(true);
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual(['broker true', 'web leaf+ca key']);
});

test("HTTPS keeps the operator's certificate, whose files are watched", async () => {
  const { tasks, happened } = rig(false);
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual(['broker true']);
  expect(tasks.map(({ name }) => name)).toEqual([
    'own certificate',
    'certificates that end soon',
    'HTTPS certificate',
  ]);
});

test('nothing is issued by a clock that was set lately while the certificate is valid', async () => {
  const { tasks, happened } = rig(true, { isSteady: false });
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual([]);
});

test('certificates that end soon are told of once a day, from a day after the start', () => {
  let now = 1_000_000;
  const { tasks, happened } = rig(true, { now: () => now });
  const look = (): unknown => tasks.find(({ name }) => name === 'certificates that end soon')?.run();
  look();
  now += 86_399_999;
  look();
  expect(happened).toEqual([]);
  now += 1;
  look();
  look();
  expect(happened).toEqual(['it ends soon']);
  now += 86_400_000;
  look();
  expect(happened).toEqual(['it ends soon', 'it ends soon']);
});

test('one that is not valid yet is made anew at once, however lately the clock was set', async () => {
  const { tasks, happened } = rig(true, { isSteady: false, isNotYetValid: true });
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual(['broker true', 'web leaf+ca key']);
});
