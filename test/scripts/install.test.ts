import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/wait.ts';

let root = '';
let boxes = 0;
let server: Server;
let origin = '';

beforeAll(async () => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tagkeep-install-')));
  server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  fs.rmSync(root, { recursive: true, force: true });
});

/** A program that says its version; one called `bad` never gets ready. */
function program(version: string): string {
  const file = join(root, `tagkeep-${version}`);
  fs.writeFileSync(file, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return file;
}

interface Box {
  readonly path: (...parts: string[]) => string;
  readonly text: (...parts: string[]) => string;
  readonly install: (args: readonly string[], options?: Running) => Promise<Result>;
  /** What the service manager was told, in order. */
  readonly told: () => string[];
}

interface Running {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Sent to it as soon as `when` says so. */
  readonly signal?: NodeJS.Signals;
  readonly when?: () => boolean;
}

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty tree with a service manager that notes what it is told, and lets only good programs get ready. */
function box(dataDir = 'var/lib/tagkeep/data'): Box {
  boxes += 1;
  const dir = join(root, `box-${boxes}`);
  const manager = join(root, `systemctl-${boxes}`);
  const notes = `${manager}.log`;
  const endpoints = join(dir, dataDir, 'run');
  fs.mkdirSync(dir);
  fs.writeFileSync(notes, '');
  const start = `mkdir -p ${endpoints}; echo '{"http":"${origin}"}' > ${endpoints}/endpoints.json`;
  fs.writeFileSync(
    manager,
    `#!/bin/sh\necho "$*" >> ${notes}\n[ "$1" != stop ] || [ ! -e ${dir}/lose-the-unit ] || rm ${dir}/${UNIT}.new\n[ "$1" = start ] || exit 0\ngrep -q bad ${dir}/usr/local/bin/tagkeep || { ${start}; }\n`,
    { mode: 0o755 },
  );
  const env = { ...process.env, DESTDIR: dir, SYSTEMCTL: manager, READY_SECONDS: '2' };
  const path = (...parts: string[]): string => join(dir, ...parts);
  return {
    path,
    text: (...parts) => fs.readFileSync(path(...parts), 'utf8'),
    install: (args, options = {}) => run(args, { ...options, env: { ...env, ...options.env } }),
    told: () => fs.readFileSync(notes, 'utf8').trim().split('\n').filter(Boolean),
  };
}

// Not the synchronous kind: the installer asks this very process whether the appliance is ready.
function run(args: readonly string[], { env = {}, input = '', signal, when }: Running) {
  return new Promise<Result>((done) => {
    const child = spawn('sh', [resolve('scripts/install.sh'), ...args], { env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.on('close', (status) => done({ status, stdout, stderr }));
    if (signal) void until('the moment of the signal', () => when?.()).then(() => child.kill(signal));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const BIN = 'usr/local/bin/tagkeep';
const UNIT = 'etc/systemd/system/tagkeep.service';
const mode = (file: string): number => fs.statSync(file).mode & 0o777;

describe('install.sh', () => {
  it('puts program, unit, configuration and folders in place, closed to others', async () => {
    const { install, path, text, told } = box();
    const result = await install([program('1.0.0')]);
    expect(result).toMatchObject({ status: 0, stderr: '' });
    expect(result.stdout).toContain(`tagkeep 1.0.0 is ready at ${origin}`);
    expect(mode(path(BIN))).toBe(0o755);
    expect(text(UNIT)).toBe(fs.readFileSync('scripts/tagkeep.service', 'utf8'));
    expect(mode(path('var/lib/tagkeep'))).toBe(0o700);
    expect(mode(path('etc/tagkeep'))).toBe(0o750);
    expect(JSON.parse(text('etc/tagkeep/appliance.config.json'))).toEqual({
      dataDir: '/var/lib/tagkeep/data',
      certsDir: '/var/lib/tagkeep/certs',
    });
    expect(told()).toEqual(['daemon-reload', 'enable tagkeep', 'start tagkeep']);
  });

  it('with --no-start tells the service manager nothing', async () => {
    const { install, path, told } = box();
    expect(await install([program('1.0.0'), '--no-start'])).toMatchObject({ status: 0 });
    expect(fs.existsSync(path(BIN))).toBe(true);
    expect(told()).toEqual([]);
  });

  it('upgrades in place: keeps the program before and the configuration, stops before it replaces', async () => {
    const { install, path, text, told } = box();
    await install([program('1.0.0')]);
    fs.writeFileSync(path('etc/tagkeep/appliance.config.json'), '{"mine": 1}');
    expect(await install([program('1.1.0')])).toMatchObject({ status: 0 });
    expect(text(BIN)).toContain('1.1.0');
    expect(text(`${BIN}.previous`)).toContain('1.0.0');
    expect(text('etc/tagkeep/appliance.config.json')).toBe('{"mine": 1}');
    expect(told().slice(3)).toEqual(['stop tagkeep', 'daemon-reload', 'enable tagkeep', 'start tagkeep']);
  });

  it('goes back to the version before when the new one does not get ready, and says so', async () => {
    const { install, text, told } = box();
    await install([program('1.0.0')]);
    const result = await install([program('1.1.0-bad')]);
    expect(result.status).toBe(1);
    expect(result.stderr).toBe(
      'install.sh: version 1.1.0-bad did not get ready in 2 s; the one before runs again; see: journalctl -u tagkeep\n',
    );
    expect(text(BIN)).toContain('1.0.0');
    expect(told().at(-1)).toBe('start tagkeep');
  });

  it('starts the service again when it can not go on after it stopped it, and leaves no half file', async () => {
    const { install, path, text, told } = box();
    await install([program('1.0.0')]);
    fs.writeFileSync(path('lose-the-unit'), '');
    expect((await install([program('1.1.0')])).status).not.toBe(0);
    expect(told().at(-1)).toBe('start tagkeep');
    expect(text(BIN)).toContain('1.0.0');
    const left = ['usr/local/bin', 'etc/systemd/system'].flatMap((folder) => fs.readdirSync(path(folder)));
    expect(left.sort()).toEqual(['tagkeep', 'tagkeep.service']);
  });

  it('goes back without any room on the disk, and never to a program that did not get ready', async () => {
    const { install, text, path } = box();
    await install([program('1.0.0')]);
    for (let again = 0; again < 2; again++) {
      // Ended while it waits: neither installed nor left without a service.
      const waiting = install([program('1.1.0-bad')], {
        signal: 'SIGTERM',
        when: () => text(BIN).includes('1.1.0'),
      });
      expect((await waiting).status).not.toBe(0);
      expect(text(BIN)).toContain('1.0.0');
    }
    fs.copyFileSync(program('1.1.0-bad'), path(BIN));
    fs.writeFileSync(path(`${BIN}.unproven`), '');
    fs.copyFileSync(program('1.0.0'), path(`${BIN}.previous`));
    fs.rmSync(path('var/lib/tagkeep/data/run/endpoints.json'));
    await install([program('1.2.0-bad')]);
    expect(text(BIN)).toContain('1.0.0');
  });

  it('asks the service itself, whatever proxy there is', async () => {
    const { install } = box();
    const result = await install([program('1.0.0')], { env: { http_proxy: 'http://127.0.0.1:9' } });
    expect(result).toMatchObject({ status: 0 });
  });

  it('asks where the environment of the service says the data is', async () => {
    const { install, path } = box('srv/tagkeep');
    fs.mkdirSync(path('etc/tagkeep'), { recursive: true });
    fs.writeFileSync(path('etc/tagkeep/environment'), 'TAGKEEP_DATA_DIR=/srv/tagkeep\n');
    expect(await install([program('1.0.0')])).toMatchObject({ status: 0 });
    const purged = await install(['--uninstall', '--purge'], { input: 'delete\n' });
    expect(purged.stdout).toContain('srv/tagkeep stays');
  });

  it('asks where the configuration says the data is, and tells of a password only where there was no data', async () => {
    const { install, path } = box('srv/tagkeep');
    fs.mkdirSync(path('etc/tagkeep'), { recursive: true });
    fs.writeFileSync(path('etc/tagkeep/appliance.config.json'), '{ "dataDir" : "/srv/tagkeep" }');
    const first = await install([program('1.0.0')]);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringContaining('first password') });
    fs.mkdirSync(path('srv/tagkeep/db'));
    const second = await install([program('1.1.0')]);
    expect(second).toMatchObject({ status: 0, stdout: `tagkeep 1.1.0 is ready at ${origin}\n` });
  });

  it('waits for data that is being upgraded for as long as the service is at it', async () => {
    const { install, path, text, told } = box();
    await install([program('1.0.0')]);
    const marker = path('var/lib/tagkeep/data/run/upgrading');
    fs.writeFileSync(marker, '');
    const slow = install([program('1.2.0-bad')]);
    const asked = (): number => told().filter((line) => line.startsWith('is-active')).length;
    await until('it has waited longer than the 2 s it has', () => asked() > 3);
    expect(text(BIN)).toContain('1.2.0');
    fs.rmSync(marker);
    expect(await slow).toMatchObject({ status: 1, stderr: expect.stringContaining('the one before runs') });
  });

  it('refuses a file that does not run here before it stops anything', async () => {
    const { install, text, told } = box();
    await install([program('1.0.0')]);
    const before = told().length;
    const broken = join(root, 'broken');
    fs.writeFileSync(broken, '\x7fELF of another kind');
    expect(await install([broken])).toMatchObject({
      status: 1,
      stderr: `install.sh: ${broken} does not run on this machine\n`,
    });
    expect(text(BIN)).toContain('1.0.0');
    expect(told()).toHaveLength(before);
  });

  it('--uninstall takes program and service off and keeps data and configuration', async () => {
    const { install, path, told } = box();
    await install([program('1.0.0')]);
    expect(await install(['--uninstall'])).toMatchObject({ status: 0 });
    expect([BIN, UNIT].filter((file) => fs.existsSync(path(file)))).toEqual([]);
    expect(fs.existsSync(path('var/lib/tagkeep/data/run/endpoints.json'))).toBe(true);
    expect(fs.existsSync(path('etc/tagkeep/appliance.config.json'))).toBe(true);
    expect(told().slice(-2)).toEqual(['disable --now tagkeep', 'daemon-reload']);
  });

  it('--uninstall --purge deletes data only for who types "delete", and otherwise removes nothing', async () => {
    const { install, path } = box();
    await install([program('1.0.0')]);
    for (const answer of ['', 'yes\n'])
      expect(await install(['--uninstall', '--purge'], { input: answer })).toMatchObject({ status: 1 });
    expect(fs.existsSync(path(BIN))).toBe(true);
    expect(await install(['--uninstall', '--purge'], { input: 'delete\n' })).toMatchObject({ status: 0 });
    expect([BIN, 'var/lib/tagkeep', 'etc/tagkeep'].filter((file) => fs.existsSync(path(file)))).toEqual([]);
  });

  it('answers bad usage with one line and exit code 2', async () => {
    const { install } = box();
    for (const args of [[], ['--nonsense'], ['a', 'b'], ['a', '--uninstall'], ['a', '--purge']])
      expect(await install(args), args.join(' ')).toMatchObject({ status: 2, stdout: '' });
  });

  it('is plain POSIX shell, and no script of the shell has a known fault', () => {
    execFileSync('sh', ['-n', 'scripts/install.sh']);
    const scripts = fs
      .readdirSync('scripts')
      .filter((name) => name.endsWith('.sh'))
      .map((name) => join('scripts', name));
    expect(scripts).toContain('scripts/security-scan.sh');
    const hasLinter = spawnSync('shellcheck', ['--version']).status === 0;
    const lint = hasLinter ? spawnSync('shellcheck', scripts, { encoding: 'utf8' }).stdout : '';
    expect(lint).toBe('');
  });
});

describe('tagkeep.service', () => {
  const lines = fs.readFileSync('scripts/tagkeep.service', 'utf8').split('\n');

  it('runs as its own user without rights, in a system it can only read', () => {
    for (const rule of [
      'User=tagkeep',
      'UMask=0077',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'ProtectHome=true',
      'PrivateTmp=true',
      'StateDirectory=tagkeep',
      'SystemCallFilter=@system-service',
      'Restart=on-failure',
      'TimeoutStopSec=10',
    ])
      expect(lines).toContain(rule);
  });

  it('does not forbid memory that V8 needs to run compiled code', () => {
    expect(lines.filter((line) => line.startsWith('MemoryDenyWriteExecute='))).toEqual([]);
  });

  it('is a unit systemd understands, and exposes little', () => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return expect(lines).toContain('[Service]');
    const tool = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    // Its program is not installed here; anything else it says is a mistake.
    const complaints = tool('verify', 'scripts/tagkeep.service').stderr.split('\n').filter(Boolean);
    expect(complaints.filter((line) => !line.includes('/usr/local/bin/tagkeep is not executable'))).toEqual(
      [],
    );
    const { stdout } = tool('security', '--offline=true', 'scripts/tagkeep.service');
    const exposure = Number(/exposure level for tagkeep\.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeLessThan(2);
  });
});

describe('the Dockerfile', () => {
  const text = fs.readFileSync('Dockerfile', 'utf8');
  const last = text.slice(text.lastIndexOf('\nFROM '));

  it('ends in an image that runs as an ordinary user, writes to volumes alone and says whether it is well', () => {
    expect(last).toMatch(/\nUSER (?!root)\S+\n/);
    expect(last).toContain('VOLUME ["/data", "/certs"]');
    expect(last).toMatch(/\nHEALTHCHECK .*\n/);
    expect(last.indexOf('USER ')).toBeLessThan(last.indexOf('ENTRYPOINT '));
  });

  it('carries no build tools into that image', () => {
    expect(last).not.toMatch(/\bnpm\b|\bapt-get\b|COPY src/);
  });

  it('copies only files that .dockerignore lets through and that exist', () => {
    const allowed = fs.readFileSync('.dockerignore', 'utf8').split('\n');
    for (const [, from = ''] of text.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const file of from.split(' ')) {
        expect(fs.existsSync(file), file).toBe(true);
        expect(allowed).toContain(`!${file.split('/')[0]}`);
      }
  });
});
