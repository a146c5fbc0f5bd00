import { Badge, Group } from '@mantine/core';
import type { Asset } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { useNow } from '../../time/now.ts';
import { isOverdue } from './state.ts';

const colors = { available: 'green', checked_out: 'blue', missing: 'red', retired: 'gray' } as const;

/** The status of an asset in a word, and whether it should be back. */
export function StatusBadge({ asset }: { readonly asset: Asset }) {
  const text = useText(assetsText);
  const now = useNow();
  return (
    <Group gap={4}>
      <Badge variant="light" color={colors[asset.status]} tt="none" miw="max-content">
        {text.statuses[asset.status]}
      </Badge>
      {isOverdue(asset, now) && (
        <Badge variant="light" color="orange" tt="none" miw="max-content">
          {text.overdue}
        </Badge>
      )}
    </Group>
  );
}
