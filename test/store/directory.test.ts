import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultAntenna } from '../../src/domain/antenna.ts';
import { removeReader, removeZone } from '../../src/store/cascade.ts';
import { Directory } from '../../src/store/directory.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { storeFolder } from '../support/store-folder.ts';

const orgs = ['a', 'b'];
const ids = ['1', '2', '3'];
const serials = ['S1', 'S2'];

type Change =
  | { readonly kind: 'zone' | 'noZone' | 'reader' | 'noReader'; readonly org: string; readonly id: string }
  | { readonly kind: 'map'; readonly org: string; readonly id: string; readonly zone: string }
  | { readonly kind: 'device'; readonly serial: string; readonly revoked: boolean }
  | { readonly kind: 'org'; readonly org: string };

const org = fc.constantFrom(...orgs);
const id = fc.constantFrom(...ids);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('zone', 'noZone', 'reader', 'noReader'), org, id }),
  fc.record({ kind: fc.constant('map'), org, id, zone: id }),
  fc.record({
    kind: fc.constant('device'),
    serial: fc.constantFrom(...serials),
    revoked: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('org'), org }),
);

/** One change, made the way the features make it. */
function apply(store: Store, given: Change): Promise<unknown> {
  // Ids are of one organisation only, as UUIDs are.
  const one = 'id' in given ? { ...given, id: given.org + given.id } : given;
  return store.write((tx) => {
    if (one.kind === 'org') tx.put(tables.orgs, one.org, { id: one.org, no: 7, name: one.org, createdAt: 0 });
    else if (one.kind === 'device')
      tx.put(tables.devices, one.serial, device(one.serial, { dataRevoked: one.revoked }));
    else if (one.kind === 'noZone') removeZone(tx, one.org, one.id);
    else if (one.kind === 'noReader') removeReader(tx, one.org, one.id);
    else if (one.kind === 'zone') {
      const kept = tx.get(tables.zones, [one.org, one.id]);
      const zone = { id: one.id, siteId: 's', kind: 'storage' as const, locationPolicy: null };
      const name = `name ${tx.next('names')}`;
      tx.put(tables.zones, [one.org, one.id], { ...zone, name, no: kept?.no ?? tx.next('lastZoneNo') });
    } else if (one.kind === 'map') {
      const antenna = { ...defaultAntenna, id: 'x', port: 1, zoneId: one.org + one.zone, enabled: true };
      tx.put(tables.antennas, [one.org, one.id], [antenna]);
    } else {
      const serial = serials[Number(one.id.slice(-1)) % 2] ?? 'S1';
      const kept = tx.get(tables.readers, [one.org, one.id]);
      const no = kept?.no ?? tx.next('lastReaderNo');
      const reader = { id: one.id, no, serial, name: `name ${no}`, enabled: true, createdAt: 0 };
      tx.put(tables.readers, [one.org, one.id], reader);
      const claimed = { state: 'claimed' as const, orgId: one.org, readerId: one.id };
      tx.put(tables.devices, serial, device(serial, claimed));
    }
  });
}

function everything(directory: Directory): unknown {
  const numbers = Array.from({ length: 60 }, (_, no) => no);
  return {
    orgs: orgs.map((one) => directory.org(one)),
    zones: numbers.map((no) => directory.zoneByNo(no)),
    zonesOf: orgs.map((one) => new Set(directory.zonesOf(one))),
    readers: numbers.map((no) => directory.readerByNo(no)),
    bySerial: serials.map((serial) => [directory.device(serial), directory.reader(serial)]),
  };
}

describe('the directory, taking over changes record by record', () => {
  it('is the same as one loaded anew, whatever was changed, also by another process between', async () => {
    const sequences = fc.array(fc.record({ change, look: fc.boolean(), foreign: fc.boolean() }), {
      minLength: 1,
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        const folder = storeFolder();
        const { store } = folder;
        // Another handle on the same files stands for another process: its writes are not told to the watchers.
        const foreign = openStore(folder.dir);
        for (const one of orgs) await apply(store, { kind: 'org', org: one });
        const directory = new Directory(store);
        everything(directory);
        for (const step of steps) {
          await apply(step.foreign ? foreign : store, step.change);
          await new Promise((resolve) => setImmediate(resolve));
          if (step.look) expect(everything(directory)).toEqual(everything(new Directory(store)));
        }
        expect(everything(directory)).toEqual(everything(new Directory(store)));
        await foreign.close();
        await folder.close();
      }),
      { numRuns: 60 },
    );
  });
});
