import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { callPiece } from '../../api/call.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { saveCsv } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { assetsPath, type Filter } from './filter.ts';
import { useFilter } from './use-filter.ts';

const PIECE = 500;

/** All assets of a filter, piece by piece; `onStep` is told how many there are so far. */
async function allAssets(filter: Filter, onStep: (count: number) => void): Promise<readonly Asset[]> {
  const assets: Asset[] = [];
  for (let path: string | null = assetsPath(filter, PIECE); path !== null; ) {
    const piece: Awaited<ReturnType<typeof callPiece<Asset>>> = await callPiece<Asset>(path);
    assets.push(...piece.items);
    onStep(assets.length);
    path = piece.next;
  }
  return assets;
}

/** Saves all assets that the filter lets through, not only those that are shown. */
export function DownloadButton() {
  const text = useText(assetsText);
  const shown = useCount();
  const { filter } = useFilter();
  const [count, setCount] = useState(0);
  const download = useAction({
    run: async () => {
      setCount(0);
      const assets = await allAssets(filter, setCount);
      const rows = assets.map((one) => [
        ...[one.assetTagNumber, one.name, one.category, text.statuses[one.status], one.custodian],
        ...[one.checkedOutAt, one.expectedReturnAt, one.epc, one.zoneName, one.inZoneSince, one.lastSeenAt],
      ]);
      saveCsv(`${text.title.toLowerCase()}-${filter.view}.csv`, [text.csv, ...rows]);
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={download.isPending}
      onClick={() => download.mutate()}
    >
      {download.isPending ? text.downloading(shown(count)) : text.download}
    </Button>
  );
}
