import { LoadedHouse } from '../../test/support/loaded-house.ts';
import { type Fault, type FaultContext, outcomeOf } from './fault.ts';

/** SIGKILL again and again under load. */
export const kill: Fault = {
  name: 'kill',
  must: 'after every kill -9: no acknowledged read is lost',
  async run({ quick, seed, log, signal }: FaultContext) {
    const rounds = quick ? 5 : 50;
    const house = await LoadedHouse.open(3, seed);
    const faults: string[] = [];
    try {
      for (let round = 1; round <= rounds; round++) {
        signal.throwIfAborted();
        const report = await house.killRound();
        faults.push(...report.faults);
        log(`round ${round}: ${report.acknowledged} reads acknowledged, ${faults.length} faults`);
      }
      return outcomeOf([{ what: 'acknowledged', value: String(house.ledger.acknowledged) }], faults);
    } finally {
      await house.close();
    }
  },
};
