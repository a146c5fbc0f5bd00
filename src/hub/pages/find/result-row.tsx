import { Badge, Group, Text } from '@mantine/core';
import { memo } from 'react';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import classes from './find.module.css';
import type { Result } from './results.ts';

interface Props {
  readonly result: Result;
  readonly id: string;
  readonly isActive: boolean;
  readonly onOpen: (key: string) => void;
}

/** What is shown of a result: what it is, and where. */
export const ResultRow = memo(function ResultRow({
  result: { key, tag, asset },
  id,
  isActive,
  onOpen,
}: Props) {
  const text = useText(findText);
  const epc = asset?.epc ?? tag?.epc;
  const name = asset?.name || tag?.label || epc || '';
  const zone = asset ? asset.zoneName : tag?.zoneName;
  const seenAt = asset?.lastSeenAt ?? tag?.lastSeenAt;
  return (
    <div
      role="option"
      id={id}
      aria-selected={isActive}
      tabIndex={-1}
      className={classes.option}
      onClick={() => onOpen(key)}
      onKeyDown={(event) => event.key === 'Enter' && onOpen(key)}
    >
      <div className={classes.what}>
        <Text fw={600} truncate className="anything">
          {name.slice(0, 200)}
        </Text>
        <Group gap={6} wrap="nowrap">
          <Badge variant="light" color={asset ? 'petrol' : 'gray'} size="sm" tt="none" flex="none">
            {asset ? text.asset : text.tag}
          </Badge>
          <Text span size="sm" c="dimmed" truncate className="anything">
            {[asset?.assetTagNumber, epc !== name && epc].filter(Boolean).join(' · ')}
          </Text>
        </Group>
      </div>
      <div className={classes.where}>
        <Text truncate className="anything">
          {zone ?? (asset && !asset.epc ? text.noTag : text.placeUnknown)}
        </Text>
        <Text size="sm" c="dimmed">
          {seenAt ? <When at={seenAt} /> : text.never}
        </Text>
      </div>
    </div>
  );
});
