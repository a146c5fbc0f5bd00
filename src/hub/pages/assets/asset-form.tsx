import { Autocomplete, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { call } from '../../api/call.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { assetChanges, useSample } from './asset-queries.ts';
import { isEpc } from './epc.ts';
import { FormEnd } from './form-parts.tsx';
import { wordsOf } from './state.ts';

const NAME_MAX = 255;

interface Props {
  /** What is edited; a new one when left out. */
  readonly asset?: Asset;
  readonly close: () => void;
  readonly onDone: (id: string) => void;
}

interface Fields {
  readonly name: string;
  readonly assetTagNumber: string;
  readonly category: string;
  readonly epc: string;
}

function useSave({ asset, onDone }: Props) {
  const text = useText(assetActionsText);
  return useAction({
    run: ({ epc, ...words }: Fields) =>
      asset
        ? call<Asset>('PATCH', `/assets/${asset.id}`, { body: words })
        : call<Asset>('POST', '/assets', { body: { ...words, ...(epc.trim() && { epc: epc.trim() }) } }),
    changes: assetChanges,
    quiet: true,
    done: ({ name }) => (asset ? text.saved : text.created(name)),
    onDone: ({ id }) => onDone(id),
  });
}

/** Number, name, category; for a new asset the EPC too. */
export function AssetForm(props: Props) {
  const { asset, close } = props;
  const text = useText(assetActionsText);
  const common = useText(commonText);
  const save = useSave(props);
  const [fields, setFields] = useState<Fields>(() => ({
    name: asset?.name ?? '',
    assetTagNumber: asset?.assetTagNumber ?? '',
    category: asset?.category ?? '',
    epc: '',
  }));
  const set = (part: Partial<Fields>) => setFields((before) => ({ ...before, ...part }));
  const isWrong = fields.epc.trim() !== '' && !isEpc(fields.epc);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWrong) save.mutate(fields);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={save.error} />
        <Words fields={fields} set={set} />
        {!asset && (
          <TextInput
            label={text.epc}
            description={text.epcHint}
            error={isWrong && text.epcWrong}
            value={fields.epc}
            onChange={({ currentTarget: { value } }) => set({ epc: value })}
          />
        )}
        <FormEnd action={asset ? common.save : text.create} busy={save.isPending} close={close} />
      </Stack>
    </form>
  );
}

interface WordsProps {
  readonly fields: Fields;
  readonly set: (part: Partial<Fields>) => void;
}

function Words({ fields, set }: WordsProps) {
  const text = useText(assetActionsText);
  const categories = wordsOf(useSample('all').data ?? [], 'category');
  return (
    <>
      <TextInput
        data-autofocus
        required
        label={text.number}
        description={text.numberHint}
        maxLength={NAME_MAX}
        value={fields.assetTagNumber}
        onChange={({ currentTarget: { value } }) => set({ assetTagNumber: value })}
      />
      <TextInput
        required
        label={text.name}
        maxLength={NAME_MAX}
        value={fields.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      <Autocomplete
        label={text.category}
        description={text.categoryHint}
        data={categories}
        limit={20}
        maxLength={NAME_MAX}
        value={fields.category}
        onChange={(category) => set({ category })}
      />
    </>
  );
}
