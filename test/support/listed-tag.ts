import type { Tag } from '../../src/contract/tag.ts';

/** A tag as GET /tags lists it, without data. */
export const listedTag = (epc: string, lastSeenAt: string | null = null): Tag => ({
  id: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  epc,
  label: null,
  targetType: null,
  attributes: {},
  zoneName: null,
  firstSeenAt: lastSeenAt,
  lastSeenAt,
});
