import { statSync } from 'node:fs';
import { join } from 'node:path';

export interface IdentityWatch {
  /** Resolves when a change that is being taken up is done with. */
  stop(): Promise<void>;
}

const FILES = ['ca.crt', 'client.crt', 'client.key', 'svc.json'];
const EVERY_MS = 2000;

/**
 * Looks every 2 s whether the identity files are others than before. `onChange` is called when they have then been the same for
 * two looks, so that files which are written one by one are whole; it must not reject.
 */
export function watchIdentity(dir: string, onChange: () => Promise<void>): IdentityWatch {
  let taken = fingerprint(dir);
  let last = taken;
  let busy: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    const now = fingerprint(dir);
    const isSettled = now === last;
    last = now;
    if (!isSettled || now === taken) return;
    taken = now;
    busy = busy.then(onChange);
  }, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return busy;
    },
  };
}

function fingerprint(dir: string): string {
  return FILES.map((name) => {
    const file = statSync(join(dir, name), { throwIfNoEntry: false });
    return `${file?.ino}:${file?.size}:${file?.mtimeMs}`;
  }).join();
}
