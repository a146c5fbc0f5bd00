import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const RELEASE = ['scripts/install.sh', 'scripts/tagkeep.service'];

/** Folders of a real box that lie under the root of this one, as `DESTDIR` has it for the installer. */
const PLACES = [
  '/var/lib/tagkeep',
  '/etc/tagkeep',
  '/usr/local/share/ca-certificates',
  '/mnt/usb',
  '/tmp/support',
];

/** A service manager of one service: starts what the installed unit says, and stops it by the pid it started. */
const SYSTEMCTL = `#!/bin/sh
set -eu
running() { [ -s "$BOX/pid" ] && kill -0 "$(cat "$BOX/pid")" 2>/dev/null; }
start() {
  running && return 0
  setsid sh -c "exec $BOX$(sed -n 's/^ExecStart=//p' "$BOX/etc/systemd/system/tagkeep.service" |
    sed "s, /etc/, $BOX/etc/,")" >> "$BOX/journal" 2>&1 < /dev/null &
  echo $! > "$BOX/pid"
}
stop() {
  running || return 0
  kill "$(cat "$BOX/pid")"
  while running; do sleep 0.1; done
}
case "$1 $*" in
  start*) start ;;
  stop*) stop ;;
  restart*) stop; start ;;
  "enable "*--now*) start ;;
  "disable "*--now*) stop ;;
  status*) running && echo 'active (running)' ;;
  is-active*) running ;;
esac
`;

/**
 * A plain box under a folder: Tagkeep's release in the current folder, and around it what such a box has: a service
 * manager, `sudo` (everybody is the same user here), a journal, the system's authorities. Shell lines written for a real box
 * run in it word by word.
 */
export class PlainBox {
  readonly root: string;
  readonly release: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor() {
    this.root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tagkeep-box-')));
    this.release = join(this.root, 'release');
    const bin = join(this.root, 'bin');
    for (const dir of [
      this.release,
      bin,
      ...['/etc/ssl/certs', '/hooks', ...PLACES.slice(2)].map((d) => this.root + d),
    ])
      fs.mkdirSync(dir, { recursive: true });
    for (const file of RELEASE) fs.copyFileSync(file, join(this.release, file.replace('scripts/', '')));
    const write = (name: string, text: string): void =>
      fs.writeFileSync(join(bin, name), text, { mode: 0o755 });
    write('systemctl', SYSTEMCTL);
    write('sudo', '#!/bin/sh\n[ "$1" != -u ] || shift 2\nexec "$@"\n');
    write('journalctl', '#!/bin/sh\ncat "$BOX/journal"\n');
    write('update-ca-certificates', this.#updateCertificates());
    fs.writeFileSync(join(this.release, 'tagkeep-linux-x64'), this.#program(), { mode: 0o755 });
    this.#env = {
      PATH: [bin, join(this.root, 'usr/local/bin'), process.env.PATH, '/usr/sbin'].join(':'),
      HOME: this.root,
      BOX: this.root,
      DESTDIR: this.root,
      CURL_CA_BUNDLE: join(this.root, 'etc/ssl/certs/ca-certificates.crt'),
    };
  }

  /** Runs the lines as one script that ends at the first one that fails, in the folder of the release; stdout is answered. */
  async sh(lines: string): Promise<string> {
    const script = `set -eu\n${this.#moved(lines)}`;
    const { stdout } = await run('bash', ['-c', script], {
      cwd: this.release,
      env: this.#env,
      timeout: TIMEOUT_MS,
    });
    return stdout;
  }

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Merges `settings` into the installed configuration. */
  configure(settings: object): void {
    const file = this.path('etc/tagkeep/appliance.config.json');
    const before: object = JSON.parse(fs.readFileSync(file, 'utf8'));
    const more: object = JSON.parse(this.#moved(JSON.stringify(settings)));
    fs.writeFileSync(file, JSON.stringify({ ...before, ...more }));
  }

  /** Stops the service and removes everything. */
  async dispose(): Promise<void> {
    await this.sh('systemctl stop tagkeep');
    fs.rmSync(this.root, { recursive: true, force: true });
  }

  // Ports are free ones, so addresses are looked up when the line runs.
  #moved(lines: string): string {
    const origin = (name: string): string =>
      `$(sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p' ${this.root}/var/lib/tagkeep/data/run/endpoints.json)`;
    // In one go: the root itself may look like one of the places.
    return lines
      .replace(new RegExp(PLACES.join('|'), 'g'), (place) => this.root + place)
      .replaceAll('http://127.0.0.1:8080', origin('http'))
      .replaceAll('https://HOST:8443', origin('https'));
  }

  // Stands for the one-file program: the same program, with the ports and folders of this box.
  #program(): string {
    const settings = {
      TAGKEEP_DATA_DIR: this.path('var/lib/tagkeep/data'),
      TAGKEEP_CERTS_DIR: this.path('var/lib/tagkeep/certs'),
      TAGKEEP_HTTP__PORT: '0',
      TAGKEEP_HTTPS__HOST: '127.0.0.1',
      TAGKEEP_HTTPS__PORT: '0',
      TAGKEEP_MQTTS__HOST: '127.0.0.1',
      TAGKEEP_MQTTS__PORT: '0',
    };
    const lines = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'`);
    return `#!/bin/sh\n${lines.join('\n')}\nexec '${process.execPath}' '${resolve('dist/tagkeep.mjs')}' "$@"\n`;
  }

  // The real one, told to work under this root only.
  #updateCertificates(): string {
    const folder = (name: string, path: string): string => `--${name} ${this.root}${path}`;
    return `#!/bin/sh\nexec /usr/sbin/update-ca-certificates ${folder('localcertsdir', '/usr/local/share/ca-certificates')} \\
  ${folder('etccertsdir', '/etc/ssl/certs')} ${folder('hooksdir', '/hooks')}\n`;
  }
}
