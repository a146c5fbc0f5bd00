import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '../../src/app/create-app.ts';
import { checkOwnCertificates } from '../../src/app/doctor-certificates.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/options.ts';
import { createLog } from '../../src/log/log.ts';
import { makeKey, makeSelfSigned } from '../support/openssl.ts';
import { until } from '../support/wait.ts';

const root = mkdtempSync(join(tmpdir(), 'tagkeep-people-'));
const lines: string[] = [];
let app: App;
let config: Config;

beforeAll(async () => {
  for (const name of ['one', 'two']) {
    await makeKey(join(root, `${name}.key`), 'ec');
    await makeSelfSigned({ key: join(root, `${name}.key`), out: join(root, `${name}.crt`), name, ca: false });
  }
  put('one');
  const env = {
    TAGKEEP_DATA_DIR: join(root, 'data'),
    TAGKEEP_CERTS_DIR: join(root, 'certs'),
    TAGKEEP_HTTP__PORT: '0',
    TAGKEEP_HTTPS__HOST: '127.0.0.1',
    TAGKEEP_HTTPS__PORT: '0',
    TAGKEEP_HTTPS__CERT_FILE: join(root, 'web.crt'),
    TAGKEEP_HTTPS__KEY_FILE: join(root, 'web.key'),
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
    TAGKEEP_MQTTS__PORT: '0',
  };
  const log = createLog({ level: 'info', pretty: false, out: { write: (line) => lines.push(line) } });
  config = loadConfig({ env, cwd: root });
  app = await startApp({ config, log });
});
afterAll(async () => {
  await app?.stop();
  rmSync(root, { recursive: true, force: true });
});

function put(name: string): void {
  for (const part of ['crt', 'key']) copyFileSync(join(root, `${name}.${part}`), join(root, `web.${part}`));
}

/** The name on the certificate that HTTPS shows, or null when it shows none. */
function shown(): Promise<unknown> {
  const { port } = new URL(app.endpoints.https);
  return new Promise((resolve) => {
    const at = { host: '127.0.0.1', port: Number(port), rejectUnauthorized: false };
    const socket = tls.connect(at, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.once('error', () => resolve(null));
  });
}

test('a renewed certificate of the site is shown without a restart, and the log says so', async () => {
  expect(await shown()).toBe('one');
  put('two');
  await until('the new certificate', async () => (await shown()) === 'two', 25_000);
  expect(lines.filter((line) => line.includes('HTTPS uses the new certificate'))).toHaveLength(1);
  expect(lines.join('')).not.toContain('PRIVATE KEY');
}, 40_000);

test('a certificate of the site that ends within 30 days is told in the log, by doctor and in the metrics', async () => {
  expect(lines.filter((line) => line.includes('the certificate in https.certFile ends on'))).toHaveLength(1);
  const findings = await checkOwnCertificates({ config, now: Date.now() });
  const own = findings.find(({ subject }) => subject === 'https.certFile');
  expect(own).toMatchObject({ level: 'warning', message: expect.stringMatching(/\((29|30) days left\)$/) });
  const metrics = await (await fetch(`${app.endpoints.http}/metrics`)).text();
  const seconds = /^tagkeep_certificate_expires_seconds\{certificate="web"\} (\d+)$/m.exec(metrics)?.[1];
  expect(Number(seconds) / 86_400).toBeGreaterThan(29);
  expect(Number(seconds) / 86_400).toBeLessThan(31);
});

test('plain HTTP on loopback stays plain', async () => {
  const answer = await fetch(`${app.endpoints.http}/docs`, { redirect: 'manual' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
});
