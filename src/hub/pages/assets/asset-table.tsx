import { Anchor, Checkbox, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { Link, useSearch } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { Custodian, LastSeen, MoveButton, Where } from './asset-cells.tsx';
import type { Ask } from './dialog.ts';
import type { Selection } from './selection.ts';
import { StatusBadge } from './status-badge.tsx';

interface RowProps {
  readonly asset: Asset;
  readonly isSelected: boolean;
  readonly toggle: (id: string) => void;
  readonly ask: Ask;
}

/** The way to an asset, which keeps the filter of the list. */
export function AssetLink({ asset }: { readonly asset: Asset }) {
  const search = useSearch();
  const href = `/assets/${asset.id}${search && `?${search}`}`;
  return (
    <Anchor
      component={Link}
      href={href}
      fw={600}
      size="sm"
      className="anything"
      lineClamp={2}
      title={asset.name}
    >
      {asset.name}
    </Anchor>
  );
}

/** Ticks an asset for what is done with many. */
export function AssetTick({ asset, isSelected, toggle }: Omit<RowProps, 'ask'>) {
  const text = useText(assetsText);
  return (
    <Checkbox checked={isSelected} onChange={() => toggle(asset.id)} aria-label={text.select(asset.name)} />
  );
}

const Word = ({ children }: { readonly children: string }) => (
  <Text size="sm" className="anything" lineClamp={2} title={children}>
    {children}
  </Text>
);

const Row = memo(function Row({ asset, isSelected, toggle, ask }: RowProps) {
  return (
    <Table.Tr {...(isSelected && { bg: 'var(--mantine-color-petrol-light)' })}>
      <Table.Td>
        <AssetTick asset={asset} isSelected={isSelected} toggle={toggle} />
      </Table.Td>
      <Table.Td maw={140}>
        <Word>{asset.assetTagNumber}</Word>
      </Table.Td>
      <Table.Td maw={240}>
        <AssetLink asset={asset} />
      </Table.Td>
      <Table.Td maw={160}>
        <Word>{asset.category}</Word>
      </Table.Td>
      <Table.Td>
        <StatusBadge asset={asset} />
      </Table.Td>
      <Table.Td maw={180}>
        <Custodian asset={asset} />
      </Table.Td>
      <Table.Td maw={180}>
        <Where asset={asset} />
      </Table.Td>
      <Table.Td>
        <LastSeen asset={asset} />
      </Table.Td>
      <Table.Td ta="end">
        <MoveButton asset={asset} ask={ask} />
      </Table.Td>
    </Table.Tr>
  );
});

interface Props {
  readonly assets: readonly Asset[];
  readonly selection: Selection;
  readonly ask: Ask;
}

/** The assets as a table; on a narrow screen it scrolls in its own box. */
export function AssetTable({ assets, selection, ask }: Props) {
  const text = useText(assetsText);
  const { ids, toggle, all } = selection;
  const heads = [
    text.number,
    text.name,
    text.category,
    text.status,
    text.custodian,
    text.place,
    text.lastSeen,
  ];
  return (
    <Table.ScrollContainer minWidth={960}>
      <Table verticalSpacing="xs" highlightOnHover aria-label={text.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={40}>
              <Checkbox
                aria-label={text.selectAll}
                checked={ids.size > 0 && ids.size === assets.length}
                indeterminate={ids.size > 0 && ids.size < assets.length}
                onChange={all}
              />
            </Table.Th>
            {heads.map((head) => (
              <Table.Th key={head} style={{ whiteSpace: 'nowrap' }}>
                {head}
              </Table.Th>
            ))}
            <Table.Th ta="end">{text.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {assets.map((asset) => (
            <Row key={asset.id} asset={asset} isSelected={ids.has(asset.id)} toggle={toggle} ask={ask} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
