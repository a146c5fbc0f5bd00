import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../src/app/doctor.ts';
import { roomFindings } from '../../src/app/doctor-host.ts';
import { doctorLines } from '../../src/cli/doctor.ts';
import { revokeDevice, withdrawDevice } from '../../src/store/device-states.ts';
import { tables } from '../../src/store/tables.ts';
import { DoctorHouse, of, type ServedReader } from '../support/doctor-house.ts';
import { plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const DAY = 86_400_000;

const house = new DoctorHouse();
let dock: ServedReader;
let silent: ServedReader;

beforeAll(async () => {
  await house.start();
  dock = await house.reader('370-10-15-0001');
  silent = await house.reader('370-10-15-0002');
}, 60_000);
afterAll(() => house.dispose());

describe('beside a running appliance that is well', () => {
  it('nothing is a fault, and the command ends with 0', async () => {
    const { code, stdout, stderr } = await house.command('doctor', '--json');
    expect([code, stderr]).toEqual([0, '']);
    const report = JSON.parse(stdout);
    expect(report.counts.fault).toBe(0);
    expect(of(report, 'appliance')).toEqual([
      `ok pid ${process.pid}: ${of(report, 'appliance')[0]?.split(': ')[1]}`,
    ]);
    expect(of(report, 'store')).toEqual([expect.stringMatching(/^ok -: schema \d+: 2 readers, 0 tags/)]);
    expect(of(report, 'certificate.own').map((text) => text.slice(0, 12))).toEqual([
      'ok authority',
      'ok server: v',
      'ok ca.key: b',
    ]);
    for (const check of ['clock', 'disk', 'modes', 'licence', 'ingest', 'broker', 'stream'])
      expect(of(report, check)[0], check).toMatch(/^(ok|warning \/)/);
  });

  it('the text has a line for each finding and one that counts them', async () => {
    const { stdout } = await house.command('doctor');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\s+CHECK\s+OF\s+FOUND$/);
    expect(lines.at(-1)).toMatch(/^0 faults, \d+ warnings?, \d+ notes?$/);
    expect(
      lines.some((line) => /^note\s+reader.status\s+Door 370-10-15-0002 .*has never connected/.test(line)),
    ).toBe(true);
  });

  it('looking changes nothing in the store', async () => {
    const { store } = house.app;
    const before = [store.directoryVersion(), store.count(tables.audit), store.count(tables.meta)];
    await house.command('doctor');
    expect([store.directoryVersion(), store.count(tables.audit), store.count(tables.meta)]).toEqual(before);
  });
});

describe('readers', () => {
  it('one that never connected says so, one that is there shows its rate and that it has no agent', async () => {
    const reader = await house.connect(dock);
    await reader.publish({ payload: plainRead('E28011600000C1F000000001') });
    await until('the read', () => house.app.store.count(tables.tags) === 1);
    await house.saveDiagnostics();
    const report = await house.examine();
    expect(of(report, 'reader.status')).toEqual([
      expect.stringMatching(/^ok Door 370-10-15-0001 .*: online, last heard of at 20/),
      `note Door ${silent.serial} (${silent.serial}): has never connected`,
    ]);
    expect(of(report, 'reader.agent')).toEqual([expect.stringContaining('note Door 370-10-15-0001')]);
    expect(of(report, 'reader.rate')[0]).toContain('1 read, of them 0 repeats');
    await reader.close();
  });

  it('one that left is told as not connected; from a file of another process nothing is concluded', async () => {
    await until('the end of the connection', async () => {
      await house.saveDiagnostics();
      return of(await house.examine(), 'reader.status')[0]?.startsWith('warning');
    });
    expect(of(await house.examine(), 'reader.status')[0]).toContain('is not connected, last heard of');
    const file = join(house.config.dataDir, 'run', 'diagnostics.json');
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...saved, pid: saved.pid + 1 }));
    expect(of(await house.examine(), 'reader.status')[0]).toMatch(/^ok .*: last heard of at/);
    expect(of(await house.examine(), 'reader.status').at(-1)).toContain(
      'is not known: the appliance has not told',
    );
    writeFileSync(file, '{"half');
    expect(of(await house.examine(), 'reader.status')[0]).toMatch(/^ok .*: last heard of at/);
  });

  it('bad payloads are counted and shown with their reasons, times of the future with how far ahead', async () => {
    const reader = await house.connect(dock);
    const timestamp = new Date(Date.now() + 3_600_000).toISOString();
    await reader.publish({ payload: '{"epc":"not hex"}' });
    await reader.publish({
      payload: JSON.stringify({ epc: 'E28011600000C1F000000002', antennaPort: 1, timestamp }),
    });
    await until('the second tag', () => house.app.store.count(tables.tags) === 2);
    await house.saveDiagnostics();
    const report = await house.examine();
    expect(of(report, 'reader.rejected')).toEqual([
      expect.stringMatching(/^warning .*: 1 item could not be read$/),
    ]);
    expect(of(report, 'reader.clock')).toEqual([
      expect.stringMatching(/^warning .*: 1 read had times ahead .*; at the last read by 3(599|600)\.\d s$/),
    ]);
    expect(of(report, 'payload')).toEqual([
      expect.stringMatching(/^note 370-10-15-0001: 20.* \{"epc":"not hex"\}$/),
    ]);
    await reader.close();
  });

  it('a command that failed is told in the words of the reader', async () => {
    const key = [house.orgId, silent.readerId, 1] as const;
    const command = {
      ...{ id: 'c', no: 1, kind: 'push-config' as const, preset: null, standing: 'failed' as const },
      ...{ createdAt: Date.now(), publishedAt: null, settledAt: null, error: 'power 33 dBm is not allowed' },
    };
    await house.app.store.write((tx) => tx.put(tables.commands, key, command));
    expect(of(await house.examine(), 'reader.command')).toEqual([
      expect.stringMatching(
        /^warning .*0002\): antenna settings of 20.* failed: power 33 dBm is not allowed$/,
      ),
    ]);
    await house.app.store.write((tx) => tx.remove(tables.commands, key));
  });

  it('one out of service says why, and nothing else is held against it', async () => {
    const { store } = house.app;
    const spare = await house.reader('370-10-15-0003');
    const device = store.get(tables.devices, spare.serial);
    if (!device) throw new Error('no device');
    await store.write((tx) => revokeDevice(tx, device, { broker: true, disconnect: false, now: Date.now() }));
    const report = await house.examine();
    expect(of(report, 'reader.service')).toEqual([
      expect.stringMatching(/^note Door .*0003.*: out of service: revoked$/),
    ]);
    expect(report.findings.filter(({ subject }) => subject?.includes(spare.serial))).toHaveLength(1);
    await store.write((tx) => withdrawDevice(tx, device));
  });
});

describe('time', () => {
  it('certificates that end soon are warnings, ended ones faults', async () => {
    const soon = await house.examine(Date.now() + 800 * DAY);
    const ended = await house.examine(Date.now() + 11_500 * DAY);
    expect(of(ended, 'certificate.own')).toEqual([
      expect.stringContaining('fault authority: ended at'),
      expect.stringContaining('fault server: ended at'),
      expect.stringContaining('ok ca.key'),
    ]);
    expect(of(ended, 'certificate.reader')).toContainEqual(
      expect.stringMatching(/^fault 370-10-15-0001: ended at/),
    );
    expect(of(soon, 'certificate.own')).toContainEqual(expect.stringMatching(/^(warning|fault) server: /));
  });

  it('a clock that stands in 1970, or before what is on record, is told', async () => {
    expect(of(await house.examine(0), 'clock')[0]).toMatch(/^fault -: the clock says 1970/);
    expect(of(await house.examine(Date.now() - 30 * DAY), 'clock')[0]).toMatch(
      /^warning -: .* the clock was set back$/,
    );
    expect(of(await house.examine(Date.now() - 30 * DAY), 'certificate.own')[0]).toMatch(
      /^fault authority: valid from .* yet to come$/,
    );
  });
});

describe('the house', () => {
  it.each([
    ['that is gone', null, /^fault ca\.key: .*ca\.key/],
    ['that is damaged', 'nothing', /^fault ca\.key: .*ca\.key/],
    ['of another authority', 'another', /^fault ca\.key: ca\.key and ca\.crt do not belong together/],
  ])("an authority's key %s is a fault", async (_, content, said) => {
    const file = join(house.config.certsDir, 'ca.key');
    const before = readFileSync(file);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    if (content === null) rmSync(file);
    else
      writeFileSync(
        file,
        content === 'another' ? privateKey.export({ type: 'pkcs8', format: 'pem' }) : content,
      );
    const report = await house.examine();
    writeFileSync(file, before, { mode: 0o600 });
    expect(of(report, 'certificate.own')).toContainEqual(expect.stringMatching(said));
  });

  it('a key that others can read is a fault that names the file and what to do', async () => {
    const file = join(house.config.certsDir, 'ca.key');
    chmodSync(file, 0o644);
    const { code, stdout, stderr } = await house.command('doctor');
    chmodSync(file, 0o600);
    expect([code, stderr]).toEqual([1, 'tagkeep: the doctor found 1 fault\n']);
    expect(stdout).toMatch(/^FAULT\s+modes\s+\S+ca\.key\s+has mode 644: .* - run: chmod 600 /m);
  });

  it('too little room is a fault, little room or few files a warning', () => {
    const MB = 1024 * 1024;
    const room = { size: 100_000 * MB, floor: 16 * MB, files: 1000, filesFree: 500, free: 50_000 * MB };
    const levels = (more: object) => roomFindings('/data', { ...room, ...more }).map(({ level }) => level);
    expect(levels({})).toEqual(['ok']);
    expect(levels({ free: 47 * MB })).toEqual(['warning']);
    expect(levels({ free: 48 * MB })).toEqual(['ok']);
    expect(levels({ free: 15 * MB })).toEqual(['fault']);
    expect(levels({ filesFree: 9 })).toEqual(['ok', 'warning']);
    expect(levels({ files: 0, filesFree: 0 })).toEqual(['ok']);
  });

  it('a folder that is gone is a fault of that check alone', async () => {
    const report = await house.examine(Date.now(), { ...house.config, dataDir: join(house.root, 'nowhere') });
    expect(of(report, 'disk')).toEqual([expect.stringMatching(/^fault -: could not be checked: ENOENT/)]);
    expect(of(report, 'store')[0]).toMatch(/^ok/);
  });

  it('a licence that does not verify is a fault that says what waits', async () => {
    const { store } = house.app;
    await store.write((tx) => tx.put(tables.licences, house.orgId, { token: 'a.b.c', installedAt: 1 }));
    const found = of(await house.examine(), 'licence');
    await store.write((tx) => tx.remove(tables.licences, house.orgId));
    expect(found).toEqual([expect.stringMatching(/^fault .*: .* Nothing can be changed until a licence/)]);
  });

  it('of one check and level fifty findings are told, and how many more there are', async () => {
    const { store } = house.app;
    const serials = Array.from({ length: 60 }, (_, i) => `X-${i}`);
    const device = store.get(tables.devices, dock.serial);
    if (!device) throw new Error('no device');
    await store.write((tx) => {
      for (const serial of serials) tx.put(tables.devices, serial, { ...device, serial });
    });
    const found = of(await house.examine(), 'certificate.reader').filter((text) => text.startsWith('fault'));
    await store.write((tx) => {
      for (const serial of serials) tx.remove(tables.devices, serial);
    });
    expect([found.length, found.at(-1)]).toEqual([51, 'fault -: and 10 more']);
  });

  it('control characters in what readers sent are shown, not obeyed', () => {
    const finding = { check: 'payload', level: 'note' as const, message: 'a\u001b[2Jb\nc' };
    const counts = { ok: 0, note: 1, warning: 0, fault: 0 };
    const lines = doctorLines({ at: '', version: '', counts, findings: [finding] });
    expect(lines[1]).toContain('a\\x1b[2Jb\\x0ac');
  });
});

describe('an appliance that does not answer', () => {
  it('is a fault after three seconds; one that is not ready tells its reasons', async () => {
    const file = join(house.config.dataDir, 'run', 'endpoints.json');
    const endpoints = readFileSync(file, 'utf8');
    const answers = async (listener: RequestListener): Promise<DoctorReport> => {
      const server = createServer(listener).listen(0, '127.0.0.1');
      await once(server, 'listening');
      // A server on a TCP port has an address of this form.
      const { port } = server.address() as AddressInfo;
      writeFileSync(file, JSON.stringify({ ...house.app.endpoints, http: `http://127.0.0.1:${port}` }));
      const report = await house.examine();
      server.closeAllConnections();
      server.close();
      return report;
    };
    const hung = await answers(() => {});
    expect(of(hung, 'appliance')).toEqual([
      expect.stringMatching(/^fault pid \d+: http:\S+ does not answer as it should: .*timeout/),
    ]);
    const full = await answers((req, res) => {
      res.statusCode = req.url === '/readyz' ? 503 : 200;
      res.end(JSON.stringify({ status: 'unavailable', reasons: ['disk nearly full'] }));
    });
    expect(of(full, 'ready')).toEqual(['fault -: disk nearly full']);
    writeFileSync(file, endpoints);
  });
});

describe('without an appliance', () => {
  it('that is a fault; the rest is looked at all the same, bad payloads of its last run too', async () => {
    await house.stop();
    const { code, stdout } = await house.command('doctor', '--json');
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(of(report, 'appliance')).toEqual([`fault -: no appliance is serving ${house.config.dataDir}`]);
    expect(of(report, 'store')[0]).toMatch(/^ok -: schema/);
    expect(of(report, 'payload')).toHaveLength(1);
    expect(of(report, 'reader.status')[0]).toMatch(/^ok .*: last heard of at/);
  });

  it('a damaged store is a fault with the reason', async () => {
    writeFileSync(join(house.config.dataDir, 'db', 'tagkeep.mdb'), 'no store');
    const report = await house.examine();
    expect(of(report, 'store')).toEqual([expect.stringMatching(/^fault -: .*tagkeep\.mdb is damaged/)]);
  });

  it('a folder without one is one line of fault, and stays as it was', async () => {
    rmSync(house.config.dataDir, { recursive: true });
    const report = await house.examine();
    expect(of(report, 'store')).toEqual([`fault -: ${house.config.dataDir} has no appliance yet`]);
    expect(() => readFileSync(house.config.dataDir)).toThrow('ENOENT');
  });
});
