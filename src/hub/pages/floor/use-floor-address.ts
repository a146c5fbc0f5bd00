import { useSearchParams } from 'wouter';

type Name = 'site' | 'zone' | 'epc' | 'day' | 'edit';

/** What is open on the page is in the address; empty: not. */
export type FloorAddress = Readonly<Record<Name, string>>;

/** What the address says, and how to change it: an empty text takes a part away. */
export function useFloorAddress() {
  const [params, setParams] = useSearchParams();
  const read = (name: Name) => params.get(name) ?? '';
  const address: FloorAddress = {
    ...{ site: read('site'), zone: read('zone'), epc: read('epc').toUpperCase() },
    ...{ day: read('day'), edit: read('edit') },
  };
  const go = (changes: Partial<FloorAddress>) =>
    setParams((old) => {
      const next = new URLSearchParams(old);
      for (const [name, value] of Object.entries(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      return next;
    });
  return { address, go };
}

export type GoOnFloor = ReturnType<typeof useFloorAddress>['go'];
