import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Asset } from '../../../contract/asset.ts';
import { call } from '../../api/call.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { assetsPath } from './filter.ts';

/** Which asset a tag is on. */
export function TagHolder({ epc }: { readonly epc: string }) {
  const text = useText(assetActionsText);
  const holder = useQuery({
    queryKey: ['assets', 'holder', epc],
    queryFn: ({ signal }) => call<Asset[]>('GET', assetsPath({ view: 'all', q: epc }, 50), { signal }),
    // An EPC may be part of a longer one.
    select: (assets) => assets.find((asset) => asset.epc === epc),
  }).data;
  if (!holder) return null;
  return (
    <Text size="sm" className="anything">
      {text.takenBy} <b>{holder.name}</b> ({holder.assetTagNumber})
    </Text>
  );
}
