import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { Custodian, MoveButton, Where } from './asset-cells.tsx';
import { AssetLink, AssetTick } from './asset-table.tsx';
import type { Ask } from './dialog.ts';
import type { Selection } from './selection.ts';
import { StatusBadge } from './status-badge.tsx';

interface CardProps {
  readonly asset: Asset;
  readonly isSelected: boolean;
  readonly toggle: (id: string) => void;
  readonly ask: Ask;
}

const Card = memo(function Card({ asset, isSelected, toggle, ask }: CardProps) {
  return (
    <Paper component="li" withBorder p="sm">
      <Group align="flex-start" wrap="nowrap" gap="sm">
        <AssetTick asset={asset} isSelected={isSelected} toggle={toggle} />
        <Stack gap={6} flex={1} miw={0}>
          <Box>
            <AssetLink asset={asset} />
            <Text size="xs" c="dimmed" className="anything" lineClamp={1}>
              {asset.assetTagNumber}
            </Text>
          </Box>
          <StatusBadge asset={asset} />
          <Custodian asset={asset} />
          <Group justify="space-between" align="flex-end" gap="xs">
            <Box miw={0}>
              <Where asset={asset} />
            </Box>
            <MoveButton asset={asset} ask={ask} size="sm" />
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
});

interface Props {
  readonly assets: readonly Asset[];
  readonly selection: Selection;
  readonly ask: Ask;
}

/** The assets one below the other, for phones. */
export function AssetCards({ assets, selection, ask }: Props) {
  const text = useText(assetsText);
  const { ids, toggle } = selection;
  return (
    <Stack component="ul" gap="xs" p={0} m={0} aria-label={text.title} style={{ listStyle: 'none' }}>
      {assets.map((asset) => (
        <Card key={asset.id} asset={asset} isSelected={ids.has(asset.id)} toggle={toggle} ask={ask} />
      ))}
    </Stack>
  );
}
