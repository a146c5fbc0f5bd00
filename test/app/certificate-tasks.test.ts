import { expect, test } from 'vitest';
import { certificateTasks } from '../../src/app/certificate-tasks.ts';
import type { ServerCertificate } from '../../src/pki/server-certificate.ts';

const made: ServerCertificate = {
  ...{ certPem: 'leaf', keyPem: 'key', chainPem: 'leaf+ca', notBefore: 0, notAfter: Date.UTC(2028, 0, 1) },
  issuedBecause: 'there was none',
};

/** The tasks of an appliance, and what they did. */
function rig(own: boolean, { isSteady = true, isValid = true } = {}) {
  const happened: string[] = [];
  const files = { certFile: '/nowhere/web.crt', keyFile: '/nowhere/web.key' };
  const tasks = certificateTasks({
    ...{
      hostnames: [],
      now: () => 0,
      isSteady: () => isSteady,
      isValid: () => isValid,
      log: { info() {}, warn() {} },
    },
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
  expect(tasks.map(({ name }) => name)).toEqual(['own certificate', 'HTTPS certificate']);
});

test('nothing is issued by a clock that was set lately while the certificate is valid', async () => {
  const { tasks, happened } = rig(true, { isSteady: false });
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual([]);
});

test('one that is not valid by the clock is made anew at once, however lately the clock was set', async () => {
  const { tasks, happened } = rig(true, { isSteady: false, isValid: false });
  await Promise.all(tasks.map((task) => task.run()));
  expect(happened).toEqual(['broker true', 'web leaf+ca key']);
});
