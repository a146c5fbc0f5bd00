import { join } from 'node:path';
import { identityFiles } from './identity.ts';
import { readSmallFile } from './private-file.ts';

/** What opens a reader's local REST interface. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials in the identity files of a folder; null when there are none, or none that can be understood. */
export async function credentialsIn(dir: string): Promise<Credentials | null> {
  const text = await readSmallFile(join(dir, identityFiles.service));
  if (text === null) return null;
  try {
    const { user, password }: { user?: unknown; password?: unknown } = Object(JSON.parse(text));
    return typeof user === 'string' && typeof password === 'string' ? { user, password } : null;
  } catch {
    return null;
  }
}
