import { Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { call } from '../../api/call.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useIsPhone } from '../../ui/use-is-phone.ts';
import { AssetForm } from './asset-form.tsx';
import { assetChanges } from './asset-queries.ts';
import { CheckOutForm } from './check-out-form.tsx';
import type { Dialog } from './dialog.ts';
import { LinkTag } from './link-tag.tsx';
import { canCheckOut } from './state.ts';
import { retireAsset } from './use-asset-actions.ts';
import type { Bulk } from './use-bulk.ts';

interface Props {
  readonly dialog: Dialog | null;
  readonly close: () => void;
  readonly bulk: Bulk;
  readonly open: (id: string) => void;
}

/** Whatever is asked for over the page: one at a time. */
export function Dialogs({ dialog, ...rest }: Props) {
  const title = useTitle();
  const isPhone = useIsPhone();
  // While it closes it still shows what it showed.
  const [last, setLast] = useState(dialog);
  if (dialog !== null && dialog !== last) setLast(dialog);
  const shown = dialog ?? last;
  if (!shown) return null;
  const isOpen = dialog !== null;
  if (shown.kind === 'retire') return <Retire {...rest} assets={shown.assets} isOpen={isOpen} />;
  if (shown.kind === 'unlink') return <Unlink {...rest} asset={shown.asset} isOpen={isOpen} />;
  return (
    <Modal
      opened={isOpen}
      onClose={rest.close}
      size={shown.kind === 'link' ? 'lg' : 'md'}
      fullScreen={isPhone && shown.kind === 'link'}
      title={
        <Text component="span" fw={600} className="anything">
          {title(shown)}
        </Text>
      }
    >
      <Form {...rest} shown={shown} />
    </Modal>
  );
}

function useTitle(): (dialog: Dialog) => string {
  const text = useText(assetActionsText);
  return (dialog) => {
    if (dialog.kind === 'create') return text.create;
    if (dialog.kind === 'edit') return text.editTitle;
    if (dialog.kind === 'link') return text.linkTitle(dialog.asset.name);
    if (dialog.kind !== 'check-out') return '';
    const [first] = dialog.assets;
    const count = dialog.assets.filter(canCheckOut).length;
    return dialog.assets.length === 1 && first ? text.checkOutName(first.name) : text.bulkCheckOut(count);
  };
}

type FormProps = Omit<Props, 'dialog'> & { readonly shown: Dialog };

function Form({ shown, close, bulk, open }: FormProps) {
  if (shown.kind === 'check-out') return <CheckOutForm assets={shown.assets} close={close} bulk={bulk} />;
  if (shown.kind === 'link') return <LinkTag asset={shown.asset} close={close} />;
  const made = (id: string) => {
    close();
    open(id);
  };
  if (shown.kind === 'edit') return <AssetForm asset={shown.asset} close={close} onDone={close} />;
  return <AssetForm close={close} onDone={made} />;
}

type ConfirmProps = Omit<Props, 'dialog'> & { readonly isOpen: boolean };

function Retire({ assets, isOpen, close, bulk }: ConfirmProps & { readonly assets: readonly Asset[] }) {
  const text = useText(assetActionsText);
  const [first] = assets;
  const retire = useAction({
    run: retireAsset,
    changes: assetChanges,
    done: ({ name }) => text.retired(name),
    onDone: close,
  });
  const one = assets.length === 1 ? first : undefined;
  return (
    <Confirm
      opened={isOpen}
      onClose={close}
      title={one ? text.retireTitle(one.name) : text.bulkRetire(assets.length)}
      action={one ? text.retire : text.bulkRetireAction(assets.length)}
      busy={retire.isPending || bulk.progress !== null}
      {...(!one && { word: String(assets.length) })}
      onConfirm={() => (one ? retire.mutate(one) : bulk.run({ kind: 'retire', assets, run: retireAsset }))}
    >
      {text.retireText}
    </Confirm>
  );
}

function Unlink({ asset, isOpen, close }: ConfirmProps & { readonly asset: Asset }) {
  const text = useText(assetActionsText);
  const unlink = useAction({
    run: ({ id }: Asset) => call<Asset>('POST', `/assets/${id}/unlink`),
    changes: assetChanges,
    done: text.unlinked,
    onDone: close,
  });
  return (
    <Confirm
      opened={isOpen}
      onClose={close}
      title={text.unlinkTitle}
      action={text.unlink}
      busy={unlink.isPending}
      onConfirm={() => unlink.mutate(asset)}
    >
      {text.unlinkText}
    </Confirm>
  );
}
