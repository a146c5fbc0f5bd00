import type { Config } from '../config/options.ts';
import { Subscriptions } from '../features/webhooks/subscriptions.ts';
import { type AssetLinks, createAssetLinks } from '../store/asset-links.ts';
import { FieldCatalogue } from '../store/fields.ts';
import { Licences } from '../store/licences.ts';
import { OpenCommands } from '../store/open-commands.ts';
import { ReaderFactsCache } from '../store/reader-facts.ts';
import { UserSessions } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { TagDescriptions } from '../store/tag-descriptions.ts';

/** What memory holds of the store besides tags and directory; each there once, and each follows the store by itself. */
export interface Registers {
  readonly catalogue: FieldCatalogue;
  readonly descriptions: TagDescriptions;
  readonly links: AssetLinks;
  readonly licences: Licences;
  readonly sessions: UserSessions;
  readonly commands: OpenCommands;
  readonly facts: ReaderFactsCache;
  readonly subscriptions: Subscriptions;
}

export function createRegisters(store: Store, config: Config): Registers {
  const catalogue = new FieldCatalogue(store);
  return {
    catalogue,
    descriptions: new TagDescriptions({ store, catalogue }),
    links: createAssetLinks(store),
    licences: new Licences(config.licence.publicKey),
    sessions: new UserSessions(store),
    commands: new OpenCommands(store),
    facts: new ReaderFactsCache(store),
    subscriptions: new Subscriptions(store),
  };
}
