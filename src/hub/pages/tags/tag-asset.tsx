import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useText } from '../../text/language.ts';
import { tagText } from '../../text/tags.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useLinkedAsset } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';

/** The asset the tag is linked to. */
export function TagAsset({ epc }: { readonly epc: string }) {
  const text = useText(tagText);
  const asset = useLinkedAsset(epc);
  return (
    <TagSection title={text.asset}>
      <Loaded query={asset} loading={<Loading lines={1} height={20} />}>
        {(data) => {
          if (data === null)
            return (
              <Text size="sm" c="dimmed">
                {text.noAsset}
              </Text>
            );
          return (
            <Anchor component={Link} href={`/assets/${data.id}`} className="anything" size="sm">
              {data.name} ({data.assetTagNumber})
            </Anchor>
          );
        }}
      </Loaded>
    </TagSection>
  );
}
