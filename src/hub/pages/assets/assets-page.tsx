import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { Page } from '../../ui/page.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { AssetDrawer } from './asset-drawer.tsx';
import { AssetList } from './asset-list.tsx';
import type { Dialog } from './dialog.ts';
import { Dialogs } from './dialogs.tsx';
import { DownloadButton } from './download-button.tsx';
import { searchOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { LabelsPage } from './labels-page.tsx';
import { useBulk } from './use-bulk.ts';
import { useFilter } from './use-filter.ts';
import { useLivePlaces } from './use-live-place.ts';

/** `/assets`, an asset opened at `/assets/{id}`, labels at `/assets/labels`. */
export function AssetsPage() {
  const [isLabels] = useRoute('/assets/labels');
  return isLabels ? <LabelsPage /> : <ListPage />;
}

function ListPage() {
  const text = useText(assetsText);
  const [dialog, ask] = useState<Dialog | null>(null);
  const [, go] = useLocation();
  const { filter } = useFilter();
  const [, params] = useRoute('/assets/:id');
  const bulk = useBulk(() => ask(null));
  useLivePlaces();
  const open = (id: string | null) => go(`/assets${id ? `/${id}` : ''}${searchOf(filter)}`);
  return (
    <Page
      title={text.title}
      actions={
        <>
          <DownloadButton />
          <WriteButton
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => ask({ kind: 'create' })}
          >
            {text.create}
          </WriteButton>
        </>
      }
    >
      <FilterBar />
      <AssetList filter={filter} ask={ask} bulk={bulk} />
      <AssetDrawer id={params?.id ?? null} isCovered={dialog !== null} ask={ask} close={() => open(null)} />
      <Dialogs dialog={dialog} close={() => ask(null)} bulk={bulk} open={open} />
    </Page>
  );
}
