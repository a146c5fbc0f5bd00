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
 * two looks, so that files which are written one by one are whole; if it rejects, the next change is another chance.
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
    // One that failed must not keep the next from being looked at.
    busy = busy.then(onChange).catch(() => {});
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
    try {
      const file = statSync(join(dir, name), { throwIfNoEntry: false });
      return `${file?.ino}:${file?.size}:${file?.mtimeMs}`;
    } catch {
      return 'unreadable';
    }
  }).join();
}
