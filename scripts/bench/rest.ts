// `npm run bench -- rest`: what the interface takes at a million tags while reads flow in. See the usage.
import { parseRestOptions, type RestBenchOptions } from './options.ts';
import type { Report } from './report.ts';
import { measureRest } from './rest-measure.ts';
import { restReportOf } from './rest-report.ts';
import { addTagData } from './rest-seed.ts';
import { type Place, runBench, say } from './run.ts';
import { growSite, makeSite } from './seed.ts';

const RUN_MAX_SECONDS = 900;
const AN_HOUR_MS = 3_600_000;

runBench(process.argv.slice(2), (args) => {
  const options = parseRestOptions(args);
  const command = `npm run bench -- rest ${args.join(' ')}`.trim();
  return {
    reportFile: 'rest-report.md',
    maxSeconds: RUN_MAX_SECONDS,
    cpuProfile: options.cpuProfile,
    work: async (place) => ({ report: await reportOf(options, place, command), whole: true }),
  };
});

async function reportOf(options: RestBenchOptions, place: Place, command: string): Promise<Report> {
  const { knownTags } = options;
  say(`making an appliance with ${knownTags.toLocaleString('en-US')} tags and their data`);
  const made = await makeSite(place.root);
  const site = await growSite(made, place.root, { count: knownTags, at: Date.now() - AN_HOUR_MS });
  await addTagData(site, knownTags);
  const measured = await measureRest({ options, site, profileDir: place.profileDir, say });
  return restReportOf(options, measured, command);
}
