import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { assetChanges } from './asset-queries.ts';
import { type Outcome, runAll } from './run-all.ts';

interface Job {
  readonly kind: 'checkOut' | 'checkIn' | 'retire';
  readonly assets: readonly Asset[];
  readonly run: (asset: Asset) => Promise<unknown>;
}

export interface Bulk {
  readonly progress: { readonly through: number; readonly all: number } | null;
  readonly failed: Outcome<Asset>['failed'];
  readonly run: (job: Job) => void;
  readonly forget: () => void;
}

/** Does something to many assets and says what came of it. `onDone` is called when all are through. */
export function useBulk(onDone: () => void): Bulk {
  const text = useText(assetActionsText);
  const client = useQueryClient();
  const [progress, setProgress] = useState<Bulk['progress']>(null);
  const [failed, setFailed] = useState<Bulk['failed']>([]);
  const run = async ({ kind, assets, run }: Job) => {
    const all = assets.length;
    setProgress({ through: 0, all });
    const outcome = await runAll(assets, run, (through) => setProgress({ through, all }));
    setProgress(null);
    setFailed(outcome.failed);
    if (outcome.done.length > 0)
      notifications.show({
        title: text.bulkDone[kind],
        message: text.bulkOutcome(outcome.done.length, all),
        color: 'green',
      });
    onDone();
    await Promise.all(assetChanges.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return { progress, failed, run: (job) => void run(job), forget: () => setFailed([]) };
}
