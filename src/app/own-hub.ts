import { getAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { type HubFiles, inFolder, type ReadHubFile, readHubFiles } from '../http/hub-files.ts';
import type { Log } from '../log/log.ts';

/**
 * The hub this program was built with: embedded in one binary, else in the folder `hub` beside the program. Null when it
 * was built without, or is damaged, which is logged: readers are served without it.
 */
export function ownHub(log: Pick<Log, 'error'>): HubFiles | null {
  try {
    return readHubFiles(isSea() ? embedded : inFolder(fileURLToPath(new URL('hub', import.meta.url))));
  } catch (error) {
    log.error({ err: error }, 'the hub cannot be read');
    return null;
  }
}

const embedded: ReadHubFile = (name) => {
  try {
    return Buffer.from(getAsset(`hub/${name}`));
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      'code' in error &&
      error.code === 'ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND';
    if (isMissing) return null;
    throw error;
  }
};
