import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bestEncoding, type Encoding, encodings } from '../../src/http/accept-encoding.ts';
import { inFolder, readHubFiles } from '../../src/http/hub-files.ts';
import { hubPages } from '../../src/http/hub-pages.ts';
import { rawRequest } from '../support/http-raw.ts';
import { startHttp, type TestServer } from '../support/http-server.ts';
import { stubHub } from '../support/stub-hub.ts';

const script = `console.log(${JSON.stringify('words '.repeat(20_000))});\n`;
const picture = randomBytes(3000);
const SCRIPT = '/hub/assets/main-Ab12Cd34.js';
const FONT = '/hub/assets/inter-Zz99Yy88.woff2';

let folder = '';
let server: TestServer;

beforeAll(async () => {
  folder = await stubHub({
    'assets/main-Ab12Cd34.js': script,
    'assets/main-Cd34Ef56.css': 'body { color: black; }\n'.repeat(50),
    'assets/inter-Zz99Yy88.woff2': picture,
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  });
  // Not in the list of the build.
  writeFileSync(join(folder, 'assets', 'later.js'), 'later');
  server = await startHttp([], {
    hub: hubPages(readHubFiles(inFolder(folder))),
    metrics: async () => ({ contentType: 'text/plain', body: 'x 1\n' }),
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** An answer as it comes: fetch would decompress it. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((done, fail) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        done({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', fail).end();
  });
}

const nonceOf = (policy: string): string => /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';

describe('the page of the hub', () => {
  test.each([
    ...['/', '/login', '/setup', '/now', '/find', '/tags', '/readers', '/radio', '/assets', '/floor'],
    ...['/alerts', '/admin', '/tags/3034257BF7194E4000001A85', '/admin/users/', '/assets/a/../b?x=1#y'],
  ])('is at %s', async (path) => {
    const { status, headers, body } = await ask(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toContain('<main id="root">');
  });

  test.each(['/Now', '/nowhere', '/tagss', '/index.html', '//now', '/hub', '/hub/', '/hub/now', '/%6eow'])(
    'is not at %s: 404 as everywhere',
    async (path) => {
      const { status, headers } = await ask(path);
      expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    },
  );

  test('takes nothing from what is served beside it', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/problems']) {
      const { status, body } = await ask(path);
      expect([status, body.toString().includes('<main id="root">')], path).toEqual([200, false]);
    }
    expect((await ask('/api/v1')).status).toBe(404);
    expect((await ask('/api/v1/now')).status).toBe(404);
  });

  test('runs its own files only, and inline what has the nonce of this very answer', async () => {
    const [first, second] = [await ask('/'), await ask('/now')];
    const policy = String(first.headers['content-security-policy']);
    const nonce = nonceOf(policy);
    expect(policy).toBe(
      `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; ` +
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(first.body.toString()).toContain(`<meta name="csp-nonce" content="${nonce}">`);
    expect(first.body.toString()).not.toContain('__CSP_NONCE__');
    expect(nonceOf(String(second.headers['content-security-policy']))).not.toBe(nonce);
  });

  test('is asked for again every time, so that a new build is seen at once', async () => {
    const { headers } = await ask('/');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('last-modified');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });
});

describe('a file of the hub', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['', undefined],
    ['identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
  ])('with Accept-Encoding "%s" is sent as %s', async (accepted, encoding) => {
    const { status, headers, body } = await ask(SCRIPT, { 'accept-encoding': accepted });
    expect([status, headers['content-encoding']]).toEqual([200, encoding]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const plain =
      encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(plain.toString() === script).toBe(true);
    if (encoding) expect(body.length).toBeLessThan(script.length / 10);
  });

  test('that gains nothing by compression is sent as it is', async () => {
    const { headers, body } = await ask(FONT, { 'accept-encoding': 'br, gzip' });
    expect(headers).toMatchObject({ 'content-type': 'font/woff2', vary: 'Accept-Encoding' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.equals(picture)).toBe(true);
  });

  test('without a hash in its name is kept for an hour only', async () => {
    const { headers } = await ask('/hub/icon.svg');
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=3600',
    });
  });

  test('is described by HEAD as GET would send it, without a body', async () => {
    for (const path of ['/now', SCRIPT, FONT]) {
      const accept = { 'accept-encoding': 'br' };
      const [get, head] = [await ask(path, accept), await ask(path, accept, 'HEAD')];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of ['content-type', 'content-length', 'content-encoding', 'vary', 'cache-control'])
        expect(head.headers[name], `${path} ${name}`).toBe(get.headers[name]);
    }
  });

  test.each([
    '/hub/assets/none.js',
    '/hub/assets/later.js',
    '/hub/assets/',
    '/hub/index.html',
    '/hub/files.json',
    `${SCRIPT}.br`,
    `${SCRIPT}/`,
    '/hub//assets/main-Ab12Cd34.js',
    '/hub/assets%2Fmain-Ab12Cd34.js',
    '/hub/../package.json',
    '/hub/assets/../../files.json',
    '/hub/%2e%2e/%2e%2e/etc/passwd',
    '/hub/..\\files.json',
    '/hub/__proto__',
    '/hub/constructor',
    '/hub/%00',
  ])('is not at %s: a plain 404, never the page', async (path) => {
    const answer = await rawRequest(
      server.port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('application/problem+json');
  });
});

describe('page and files', () => {
  test.each(['/', '/tags/1', SCRIPT])('%s are for GET and HEAD only', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await ask(path, {}, method);
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    const { status, headers } = await ask(path, {}, 'OPTIONS');
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('a build without the hub', () => {
  test('says at its addresses how to build it', async () => {
    const bare = await startHttp([], { hub: hubPages(readHubFiles(inFolder(join(folder, 'none')))) });
    for (const path of ['/', '/tags/1']) {
      const answer = await fetch(bare.origin + path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('npm run build');
    }
    expect((await fetch(bare.origin + SCRIPT)).headers.get('content-type')).toContain('problem+json');
    await bare.close();
  });

  test('is told from one that is damaged', async () => {
    const damaged = await stubHub({ 'assets/a.js': 'a' });
    rmSync(join(damaged, 'assets', 'a.js'));
    expect(() => readHubFiles(inFolder(damaged))).toThrow(
      'assets/a.js of the hub is missing: build it again',
    );
    rmSync(damaged, { recursive: true });
  });
});

describe('the encoding', () => {
  const anyHeader = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.record({
          name: fc.constantFrom('br', 'gzip', 'identity', '*', 'zstd', 'GZIP', ''),
          weight: fc.constantFrom('', ';q=0', ';q=1', ';q=0.5', '; q=0.001', ';q=9', ';q=', ';x=1'),
        }),
      )
      .map((parts) => parts.map(({ name, weight }) => name + weight).join(', ')),
  );
  const anyForms = fc
    .subarray<Encoding>(['br', 'gzip'])
    .map((forms) => new Set<Encoding>(['identity', ...forms]));

  test('is always one that there is, and never compressed when the header does not name it', () => {
    fc.assert(
      fc.property(anyHeader, anyForms, (header, forms) => {
        const best = bestEncoding(header, forms);
        expect(forms.has(best)).toBe(true);
        if (best !== 'identity') expect(header.toLowerCase()).toMatch(best === 'br' ? /br|\*/ : /gzip|\*/);
      }),
    );
  });

  test('of those a client likes equally is the smallest', () => {
    const all = new Set(encodings);
    expect(bestEncoding('identity, gzip, br', all)).toBe('br');
    expect(bestEncoding('*;q=0.3, br;q=0', all)).toBe('gzip');
    expect(bestEncoding('identity;q=0', all)).toBe('identity');
  });
});
