import type { ConfigurationEntry } from '../../../contract/system.ts';

export interface ConfigurationFilter {
  /** Each must be in the key, the value or the help, in any case. */
  readonly words: string;
  readonly changedOnly: boolean;
}

/** The entries that pass. */
export function filterConfiguration(
  entries: readonly ConfigurationEntry[],
  { words, changedOnly }: ConfigurationFilter,
): readonly ConfigurationEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ key, value, help, isDefault }) => {
    const all = `${key} ${value} ${help}`.toLowerCase();
    return !(changedOnly && isDefault) && wanted.every((word) => all.includes(word));
  });
}

/** What says how long something is kept. */
export const retentionOf = (entries: readonly ConfigurationEntry[]): readonly ConfigurationEntry[] =>
  entries.filter(({ key }) => key.startsWith('retention.'));
