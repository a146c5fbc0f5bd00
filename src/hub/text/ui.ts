import { texts } from './language.ts';

/** What the shared parts of the hub say. */
export const uiText = texts(
  { whole: 'Show all', less: 'Show less' },
  { whole: 'Alles zeigen', less: 'Weniger zeigen' },
);
