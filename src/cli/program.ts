import { Command, CommanderError } from 'commander';
import { version } from '../app/version.ts';
import { CliUsageError } from './context.ts';

/** Runs one command line. 0 done, 1 failed with one line on stderr, 2 bad usage. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  endWithOutput();
  try {
    await buildProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    // Commander has already said what is wrong with the usage; help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`tagkeep: ${oneLine(error)}\n`);
    return error instanceof CliUsageError ? 2 : 1;
  }
}

/** Whoever reads the output may have seen enough (`| head`); nobody is left to be told then. Any other failure is one line. */
function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`tagkeep: the output can't be written: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s*\n\s*/g, ' ');
}

// Each command is loaded when it is run: what serving needs takes a second of a slow processor to load.
function buildProgram(): Command {
  const program = new Command('tagkeep')
    .description('RFID tracking appliance: broker, store, REST and live stream in one process')
    .version(version)
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride();
  addServing(program);
  addBackups(program);
  addAccounts(program);
  addOrganisations(program);
  addReaders(program);
  addCare(program);
  addTools(program);
  return program;
}

function addServing(program: Command): void {
  common(program.command('serve'))
    .description('run the appliance')
    .option('--demo', 'with virtual readers and tags that walk between zones')
    .action(async (options) => (await import('./serve.ts')).serve(options));
  common(program.command('init'))
    .description('make what the first start makes, without serving')
    .action(async (options) => (await import('./init.ts')).init(options));
}

function addBackups(program: Command): void {
  passphrased(program.command('backup <target>'))
    .description(
      'write one file (into a folder: a new one) from which a new box becomes this appliance; also while it runs',
    )
    .option('--plain', 'a plain tar, not encrypted')
    .option('--keep <n>', 'in a folder: remove older backups, so that this many stay')
    .option(
      '--work-dir <dir>',
      'room for a copy of the store while it is packed; in the data folder by default',
    )
    .action(async (target, options) => (await import('./backup.ts')).backup(target, options));
  passphrased(program.command('restore <file>'))
    .description('put a backup into an empty data folder')
    .action(async (file, options) => (await import('./backup.ts')).restore(file, options));
  passphrased(program.command('verify <file>'))
    .description('check that a backup can be restored')
    .option('--work-dir <dir>', 'where it is unpacked for that; the folder for temporary files by default')
    .action(async (file, options) => (await import('./backup.ts')).verify(file, options));
}

function passphrased(command: Command): Command {
  return common(command)
    .option('--passphrase-file <file>', 'file with the passphrase of the backup')
    .option('--passphrase-stdin', 'take the passphrase from standard input');
}

function addAccounts(program: Command): void {
  const key = program.command('key').description('API keys').exitOverride();
  ofOrg(key.command('create <name>'))
    .description('make an API key; it is printed once')
    .option('--expires <when>', 'a span such as 30d, or an ISO 8601 time')
    .action(async (name, options) => (await import('./key.ts')).createKey(name, options));
  ofOrg(key.command('list'))
    .description('show the keys')
    .action(async (options) => (await import('./key.ts')).listKeys(options));
  ofOrg(key.command('revoke <id>'))
    .description('refuse a key from now on')
    .action(async (id, options) => (await import('./key.ts')).revokeKey(id, options));
  const user = program.command('user').description('people who use the hub').exitOverride();
  ofOrg(user.command('add <email>'))
    .description('add a user')
    .requiredOption('--role <role>', 'admin or operator')
    .option('--password-stdin', 'take the password from standard input instead of making one')
    .action(async (email, options) => (await import('./user.ts')).addUser(email, options));
}

function addOrganisations(program: Command): void {
  const licence = program.command('licence').description('what the appliance may be used for').exitOverride();
  ofOrg(licence.command('show'))
    .description('show the licence, how it stands and what is used of it')
    .action(async (options) => (await import('./licence.ts')).showLicence(options));
  ofOrg(licence.command('install <file>'))
    .description('install a licence the vendor sent')
    .action(async (file, options) => (await import('./licence.ts')).installLicenceFile(file, options));
  const org = program.command('org').description('organisations').exitOverride();
  common(org.command('add <name>'))
    .description('add an organisation, with one site')
    .action(async (name, options) => (await import('./org.ts')).addOrg(name, options));
  common(org.command('list'))
    .description('show the organisations')
    .action(async (options) => (await import('./org.ts')).listOrgs(options));
  const site = program.command('site').description('sites of an organisation').exitOverride();
  ofOrg(site.command('add <name>'))
    .description('add a site, as far as the licence allows')
    .option(
      '--time-zone <zone>',
      "its IANA time zone, such as Europe/Berlin; the appliance's own if left out",
    )
    .action(async (name, options) => (await import('./site.ts')).addSiteNamed(name, options));
  ofOrg(site.command('list'))
    .description('show the sites')
    .action(async (options) => (await import('./site.ts')).listSites(options));
}

function addReaders(program: Command): void {
  const reader = program.command('reader').description('readers and their certificates').exitOverride();
  withIdentity(ofOrg(reader.command('provision <serial>')))
    .description('issue a certificate, write the identity files, print the claim code')
    .option('--model <model>', 'model of the reader; R700 for a new one')
    .option('--firmware <version>', 'firmware of the reader')
    .option(
      '--push <url>',
      'write the files to the reader at the bench: https://HOST of its local REST interface',
    )
    .option('--push-path <path>', 'where it takes files, below its address')
    .option('--broker <host:port>', "with --push: set up the reader's own MQTT client for this broker, too")
    .action(async (serial, options) => (await import('./reader.ts')).provisionReader(serial, options));
  withIdentity(ofOrg(reader.command('reissue <serial>')))
    .description('issue another certificate for a registered reader; older ones stay valid')
    .option('--revoke-old', 'revoke the older ones once the new files are in place')
    .action(async (serial, options) => (await import('./reader-reissue.ts')).reissueReader(serial, options));
  ofOrg(reader.command('revoke <serial>'))
    .description('refuse the data of a reader; its connection stays')
    .option('--broker', 'refuse its next connection too: all its certificates are revoked')
    .option('--disconnect', 'cut its open connections now, and refuse new ones as with --broker')
    .action(async (serial, options) => (await import('./reader-revoke.ts')).revokeReader(serial, options));
  ofOrg(reader.command('list'))
    .description('show devices, their state and certificates')
    .action(async (options) => (await import('./reader.ts')).listReaders(options));
  ofOrg(reader.command('withdraw <serial>'))
    .description('take a device out of service: its data is dropped, it cannot be claimed')
    .action(async (serial, options) => (await import('./reader-state.ts')).withdrawReader(serial, options));
  ofOrg(reader.command('release <serial>'))
    .description('remove the reader from its organisation and free its device')
    .action(async (serial, options) => (await import('./reader-state.ts')).releaseReader(serial, options));
  ofOrg(reader.command('code <serial>'))
    .description('make a new claim code for a device nobody has claimed')
    .action(async (serial, options) => (await import('./reader-state.ts')).newReaderCode(serial, options));
}

function withIdentity(command: Command): Command {
  return command
    .requiredOption('--out <dir>', 'folder for the four identity files')
    .option('--key-type <type>', 'rsa or ecdsa', 'rsa')
    .option('--reader-user <name>', "user of the reader's local REST interface; root for a new folder")
    .option('--reader-password-stdin', 'take its password from standard input instead of the factory one');
}

function addTools(program: Command): void {
  ofOrg(program.command('simulate'))
    .description('run virtual readers against the appliance, over real mutual TLS')
    .option('--readers <n>', 'virtual readers', '2')
    .option('--tags <n>', 'tags that walk about', '50')
    .option('--rate <n>', 'reads per second, all readers together', '20')
    .option('--seed <n>', 'same seed, same walk', '1')
    .option('--dwell <seconds>', 'how long a tag stays in a zone, on average', '60')
    .option('--format <format>', 'R700 events: minimal or full', 'minimal')
    .option('--qos <n>', '0 or 1', '1')
    .option('--duration <seconds>', 'stop by itself')
    .option('--outage-every <seconds>', 'cut one reader off that often; it bursts its buffer after')
    .option('--url <url>', 'broker; by default the appliance that serves this data folder')
    .option(
      '--identity <dir...>',
      'identity folders of provisioned readers, instead of virtual ones of its own',
    )
    .option('--stand-in', 'with --identity: readers that an agent can start, stop and set up; prints where')
    .option('--local-port <n>', 'with --stand-in: port of the local REST interface; any free one by default')
    .option('--local-dir <dir>', "with --stand-in: the reader's flash; DIR/stand-in by default")
    .option('--no-mqtt', 'with --stand-in: events on the data stream alone, for an agent that forwards them')
    .action(async (options) => (await import('./simulate.ts')).simulate(options));
  program
    .command('agent')
    .description("the program on a reader: carries out commands at the reader's local REST interface")
    .option('--dir <dir>', 'folder of the four identity files, /cust/rw_dir by default')
    .option('--broker <url>', "mqtts://HOST:PORT; by default as the reader's own MQTT settings say")
    .option('--reader <url>', "the reader's local REST interface, https://127.0.0.1 by default")
    .option('--forward-events', "publish the reader's own event stream, for readers without mutual TLS")
    .option('--buffer-mb <n>', 'with --forward-events: what waits on disk at most, 16 by default')
    .exitOverride()
    .action(async (options) => (await import('./agent.ts')).agent(options));
  common(program.command('replay <file>'))
    .description('run a recording (R700 events, one per line, .gz too) through the location rules')
    .requiredOption('--ports <map>', 'PORT=ZONE:KIND, separated by commas')
    .option('--policy <policy>', 'immediate or stable; by default the configured one')
    .action(async (file, options) => (await import('./replay.ts')).replayFile(file, options));
}

function addCare(program: Command): void {
  common(program.command('doctor'))
    .description('look at everything that tends to go wrong; ends 1 when it finds a fault')
    .action(async (options) => (await import('./doctor.ts')).doctor(options));
  common(program.command('support-bundle <file>'))
    .description('write a .tar.gz for somebody who helps, without secrets')
    .action(async (file, options) => (await import('./support-bundle.ts')).supportBundle(file, options));
}

function common(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file, instead of appliance.config.json')
    .option('--json', 'print records as JSON')
    .exitOverride();
}

function ofOrg(command: Command): Command {
  return common(command).option('--org <name>', 'organisation; by default the first');
}
