/** Where an asset stands. */
export type AssetStatus = 'available' | 'checked_out' | 'missing' | 'retired';

/** What an asset's timeline tells. */
export type AssetEventKind =
  | 'created'
  | 'check_out'
  | 'check_in'
  | 'zone_enter'
  | 'zone_exit'
  | 'marked_missing'
  | 'found'
  | 'retired';
