import type { Asset } from '../../../contract/asset.ts';
import { call } from '../../api/call.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { useAction } from '../../ui/use-action.ts';
import { assetChanges } from './asset-queries.ts';
import { tellUndoable } from './undo.tsx';

/** What goes along with a check-out: both may be left out. */
export interface CheckOut {
  readonly custodian?: string | undefined;
  readonly expectedReturnAt?: string | undefined;
}

/** The calls themselves, for one asset; also done to many at once. */
export const checkOutAsset = ({ id }: Asset, body: CheckOut) =>
  call<Asset>('POST', `/assets/${id}/check-out`, { body });
export const checkInAsset = ({ id }: Asset) => call<Asset>('POST', `/assets/${id}/check-in`);
export const retireAsset = ({ id }: Asset) => call<Asset>('POST', `/assets/${id}/retire`);

/** Taking back what was just done, by its opposite; the history shows both. */
function useUndo(run: (asset: Asset) => Promise<Asset>) {
  const text = useText(assetActionsText);
  return useAction({ run, changes: assetChanges, done: ({ name }) => text.undone(name) });
}

/** Checks an asset out. The form shows a refusal itself. */
export function useCheckOut(onDone: () => void) {
  const text = useText(assetActionsText);
  const undo = useUndo(checkInAsset);
  return useAction({
    run: ({ asset, body }: { readonly asset: Asset; readonly body: CheckOut }) => checkOutAsset(asset, body),
    changes: assetChanges,
    quiet: true,
    onDone: (asset) => {
      onDone();
      tellUndoable({
        message: text.checkedOut(asset.name),
        action: text.undo,
        undo: () => undo.mutate(asset),
      });
    },
  });
}

/** Checks an asset in; undone by giving it to the same person until the same time. */
export function useCheckIn() {
  const text = useText(assetActionsText);
  const undo = useUndo((before) =>
    checkOutAsset(before, { custodian: before.custodian, expectedReturnAt: before.expectedReturnAt }),
  );
  return useAction({
    run: checkInAsset,
    changes: assetChanges,
    onDone: (asset, before) =>
      tellUndoable({
        message: text.checkedIn(asset.name),
        action: text.undo,
        undo: () => undo.mutate(before),
      }),
  });
}
