import { z } from 'zod';
import { certFiles } from '../pki/ca-files.ts';
import { Unreadable } from './backup-error.ts';

/** Where the parts of a backup stand in its archive. */
export const partNames = {
  store: 'db/tagkeep.mdb',
  config: 'config/appliance.config.json',
  settings: 'config/settings.json',
  manifest: 'manifest.json',
} as const;

/** The name in the archive of a file of the certificates folder. */
export const certPart = (name: string): string => `certs/${name}`;

/** Every part there can be, but for the manifest, which is the last. */
export const allParts: ReadonlySet<string> = new Set([
  ...[partNames.store, partNames.config, partNames.settings],
  ...Object.values(certFiles).map(certPart),
]);

/** What no backup is without. */
const required = [partNames.store, certPart(certFiles.caKey), certPart(certFiles.caCert)];

/** What is shown to people is in plain letters: nobody vouches for a plain backup, and a terminal obeys escapes. */
const word = z.string().regex(/^[\x21-\x7e]{1,100}$/);

const part = z.object({ name: word, size: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const manifest = z.object({
  format: z.literal(1),
  version: word,
  schemaVersion: z.int().min(1),
  createdAt: z.iso.datetime(),
  host: z.string(),
  /** Entries of each table, by its name. */
  tables: z.record(word, z.int().min(0)),
  parts: z.array(part),
});

/** A part as the manifest has it: bytes, and the SHA-256 in hex. */
export type Part = z.infer<typeof part>;
/** What a backup says of itself. */
export type Manifest = z.infer<typeof manifest>;

/** The manifest in its text. Throws `Unreadable`. */
export function parseManifest(text: string): Manifest {
  const parsed = manifest.safeParse(jsonIn(text));
  if (!parsed.success) throw new Unreadable(`its ${partNames.manifest} is not one this Tagkeep knows`);
  return parsed.data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Holds what was unpacked against the manifest: the same parts, sizes and hashes, and all a backup needs. Throws `Unreadable`. */
export function requireParts({ parts }: Manifest, found: readonly Part[]): void {
  const byName = new Map(found.map((one) => [one.name, one]));
  for (const { name, sha256, size } of parts) {
    const part = byName.get(name);
    if (!part) throw new Unreadable(`it has no ${name}`);
    if (part.sha256 !== sha256 || part.size !== size) throw new Unreadable(`its ${name} is damaged`);
  }
  const listed = new Set(parts.map(({ name }) => name));
  for (const { name } of found)
    if (!listed.has(name)) throw new Unreadable(`its manifest does not know its ${name}`);
  for (const name of required) if (!listed.has(name)) throw new Unreadable(`it has no ${name}`);
}
