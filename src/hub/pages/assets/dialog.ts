import type { Asset } from '../../../contract/asset.ts';

/** What is asked for over the page; kept apart from the address, as half a form is no place to come back to. */
export type Dialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'link' | 'unlink'; readonly asset: Asset }
  | { readonly kind: 'check-out' | 'retire'; readonly assets: readonly Asset[] };

export type Ask = (dialog: Dialog) => void;
