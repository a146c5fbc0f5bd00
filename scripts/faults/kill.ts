import { createPrng, type Prng } from '../../src/lib/prng.ts';
import { CommandedReader } from './commanded-reader.ts';
import { type Fault, type FaultContext, type FaultOutcome, outcomeOf } from './fault.ts';
import { count, milliseconds } from './figures.ts';
import { Site } from './site.ts';

const ROUNDS = 50;
const QUICK_ROUNDS = 5;
const MOMENT_MS = 2500;
/** The commands end where they should: looked at every so many rounds, because it takes an agent that is back. */
const COMMANDS_EVERY = 5;
/** Tags of the reader with the agent, which is not part of the ledger. */
const AGENT_TAGS = /^(?!E280|FA17)/;

/** SIGKILL again and again under load. */
export const kill: Fault = {
  name: 'kill',
  must: 'kill -9 under reads, commands and REST writes: nothing acknowledged lost, nothing twice, nothing across organisations, commands end where they should',
  async run(context: FaultContext): Promise<FaultOutcome> {
    const site = await Site.open({ seed: context.seed, otherTags: AGENT_TAGS });
    try {
      const [party] = site.parties;
      if (!party) throw new Error('there is no organisation');
      const reader = await CommandedReader.open(site.appliance, party);
      try {
        return await runRounds(context, { site, reader });
      } finally {
        await reader.end();
      }
    } finally {
      await site.close();
    }
  },
};

interface Scene {
  readonly site: Site;
  readonly reader: CommandedReader;
}

async function runRounds(context: FaultContext, { site, reader }: Scene): Promise<FaultOutcome> {
  const { quick, seed, log, signal } = context;
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const prng = createPrng(seed);
  const faults: string[] = [];
  let inFlight = 0;
  for (let round = 1; round <= rounds; round++) {
    signal.throwIfAborted();
    inFlight += await killAtAnyMoment({ site, reader }, prng);
    const found = [...(await site.faults())];
    if (round % COMMANDS_EVERY === 0 || round === rounds) found.push(...(await reader.faults()));
    faults.push(...found.map((fault) => `round ${round}: ${fault}`));
    log(
      `round ${round} of ${rounds}: ${site.acknowledged} reads, ${site.written} writes, ${faults.length} faults`,
    );
  }
  return outcomeOf(
    [
      { what: 'kills', value: `${rounds} of the appliance, ${reader.killed} of agent or reader` },
      {
        what: 'reads acknowledged',
        value: `${count(site.acknowledged)} of ${count(site.acknowledgedTags)} tags`,
      },
      { what: 'REST writes answered', value: count(site.written) },
      { what: 'commands', value: count(reader.given) },
      { what: 'messages in flight at a kill', value: count(inFlight / rounds) },
      { what: 'lost, twice or elsewhere', value: String(faults.length) },
      { what: 'start, p50 and longest', value: milliseconds(site.starts.slice(1)) },
    ],
    faults,
  );
}

/** Load, a moment nobody chose, the end and a new start; how many messages were in flight. */
async function killAtAnyMoment({ site, reader }: Scene, prng: Prng): Promise<number> {
  await site.load();
  reader.start();
  await site.goesOn();
  const moment = new Promise((resolve) => setTimeout(resolve, MOMENT_MS * prng.unit()));
  const other = prng.unit() < 0.3 ? reader.killOne() : null;
  await moment;
  const { unanswered } = site;
  await site.stop('SIGKILL');
  await other;
  await site.start();
  await reader.stop();
  return unanswered;
}
