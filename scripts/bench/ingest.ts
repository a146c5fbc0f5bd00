// `npm run bench -- ingest`: what the path of a read can take, beside bare brokers in the same run. See the usage.
import { Generator, Probe } from './clients.ts';
import { reportOf } from './ingest-report.ts';
import { type Measured, measure } from './measure.ts';
import { type IngestOptions, parseIngestOptions } from './options.ts';
import { type Place, runBench, say } from './run.ts';
import { growSite, makeSite } from './seed.ts';

/** Five minutes at the default of 5 seconds a figure. */
const RUN_MAX_SECONDS = 180;
const RUN_MAX_FIGURES = 24;

runBench(process.argv.slice(2), (args) => {
  const options = parseIngestOptions(args);
  const command = `npm run bench -- ingest ${args.join(' ')}`.trim();
  return {
    reportFile: 'report.md',
    maxSeconds: RUN_MAX_SECONDS + RUN_MAX_FIGURES * options.seconds,
    cpuProfile: options.cpuProfile,
    work: async (place) => {
      const measured = await run(options, place);
      return { report: reportOf(options, measured, command), whole: measured.notes.length === 0 };
    },
  };
});

async function run(options: IngestOptions, place: Place): Promise<Measured> {
  say('making certificates and an appliance');
  const site = await makeSite(place.root);
  const grown = options.targets.includes('tagkeep') && !options.cpuProfile;
  const clients = { generator: new Generator(), probe: new Probe() };
  return measure({
    options,
    site,
    grown: grown ? await growing(options, site, place.root) : null,
    ...place,
    ...clients,
    say,
  });
}

async function growing(options: IngestOptions, site: Awaited<ReturnType<typeof makeSite>>, root: string) {
  say(`writing ${options.knownTags.toLocaleString('en-US')} known tags`);
  return growSite(site, root, { count: options.knownTags });
}
