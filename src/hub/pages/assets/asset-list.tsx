import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconBox, IconCircleCheck } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { Empty } from '../../ui/empty.tsx';
import { Failed } from '../../ui/failed.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useIsPhone } from '../../ui/use-is-phone.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { AssetCards } from './asset-cards.tsx';
import { useAssets } from './asset-queries.ts';
import { AssetTable } from './asset-table.tsx';
import { BulkBar, BulkFailures } from './bulk-bar.tsx';
import type { Ask } from './dialog.ts';
import type { Filter } from './filter.ts';
import { useSelection } from './selection.ts';
import { inOrder } from './state.ts';
import type { Bulk } from './use-bulk.ts';

interface Props {
  readonly filter: Filter;
  readonly ask: Ask;
  readonly bulk: Bulk;
}

/** The assets of a filter. */
export function AssetList({ filter, ask, bulk }: Props) {
  const query = useAssets(filter);
  const { data, hasNextPage } = query;
  const assets = useMemo(() => {
    const pages = data?.pages ?? [];
    const isWhole = pages.length === 1 && pages[0]?.next === null;
    return inOrder(unique(pages.flatMap(({ items }) => items)), filter.view, isWhole);
  }, [data, filter.view]);
  if (!data && query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!data) return <Loading lines={6} />;
  if (assets.length === 0) return <NoAssets filter={filter} ask={ask} />;
  return (
    <Stack gap="sm">
      <BulkFailures bulk={bulk} />
      <Shown assets={assets} ask={ask} bulk={bulk} />
      <More
        count={assets.length}
        more={hasNextPage ? () => void query.fetchNextPage() : null}
        busy={query.isFetchingNextPage}
      />
    </Stack>
  );
}

// What is renamed between two pieces may be in both.
const unique = (assets: readonly Asset[]) => [...new Map(assets.map((asset) => [asset.id, asset])).values()];

function Shown({ assets, ask, bulk }: Omit<Props, 'filter'> & { readonly assets: readonly Asset[] }) {
  const selection = useSelection(assets);
  const isPhone = useIsPhone();
  const List = isPhone ? AssetCards : AssetTable;
  return (
    <>
      <List assets={assets} selection={selection} ask={ask} />
      <BulkBar selection={selection} ask={ask} bulk={bulk} />
    </>
  );
}

interface MoreProps {
  readonly count: number;
  readonly more: (() => void) | null;
  readonly busy: boolean;
}

function More({ count, more, busy }: MoreProps) {
  const text = useText(assetsText);
  const common = useText(commonText);
  const shown = useCount();
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" className="figures">
        {text.shown(shown(count))}
      </Text>
      {more && (
        <Button variant="default" size="xs" loading={busy} onClick={more}>
          {common.more}
        </Button>
      )}
    </Group>
  );
}

function NoAssets({ filter: { view, q }, ask }: Omit<Props, 'bulk'>) {
  const text = useText(assetsText);
  if (view === 'all' && q === '')
    return (
      <Empty icon={IconBox} title={text.emptyTitle}>
        <Text maw={480}>{text.emptyText}</Text>
        <WriteButton variant="light" onClick={() => ask({ kind: 'create' })}>
          {text.create}
        </WriteButton>
      </Empty>
    );
  const isGood = q === '' && (view === 'overdue' || view === 'missing');
  return (
    <Empty
      icon={isGood ? IconCircleCheck : IconBox}
      title={isGood ? text.goodTitle[view] : text.nothingTitle}
    >
      <Text maw={480}>{isGood ? text.goodText[view] : text.nothingText}</Text>
      <Anchor component={Link} href="/assets">
        {text.showAll}
      </Anchor>
    </Empty>
  );
}
