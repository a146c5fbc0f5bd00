import { openStore } from '../../src/store/store.ts';
import { openHouse, plain } from './ingest-house.ts';

/**
 * Ingest under load in a process of its own, to be killed: `node ingest-peer.mjs DIR ROUND`. It prints a line `EPC TIME` for
 * each read once that is settled.
 */
const [dir = '', round = '0'] = process.argv.slice(2);
const TAGS = 500;
const IN_FLIGHT = 64;

const house = openHouse(openStore(dir));
setInterval(() => void house.ledger.checkpoint(), 20);
setInterval(() => house.views.sweep(Date.now()), 50);

let sent = 0;
function send(): void {
  const tag = sent++ % TAGS;
  // Half of the tags are of every round, half are new in this one.
  const epc = `${tag % 2 === 0 ? 'AAAA' : `BBB${round}`}${String(tag).padStart(8, '0')}`;
  const at = Date.now();
  const payload = Buffer.from(JSON.stringify(plain(epc, at)));
  house.ingest.accept('A1', payload, () => {
    process.stdout.write(`${epc} ${at}\n`);
    setImmediate(send);
  });
}
for (let i = 0; i < IN_FLIGHT; i++) send();
