import { Autocomplete, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { useNow } from '../../time/now.ts';
import { usePlace } from '../../time/when.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useSample } from './asset-queries.ts';
import { FormEnd } from './form-parts.tsx';
import { canCheckOut, wordsOf } from './state.ts';
import { endOfDay, fromField } from './time-field.ts';
import { type CheckOut, checkOutAsset, useCheckOut } from './use-asset-actions.ts';
import type { Bulk } from './use-bulk.ts';

const NAME_MAX = 255;

interface Props {
  readonly assets: readonly Asset[];
  readonly close: () => void;
  readonly bulk: Bulk;
}

function bodyOf(custodian: string, dueMs: number | null): CheckOut {
  return {
    ...(custodian.trim() && { custodian: custodian.trim() }),
    ...(dueMs !== null && { expectedReturnAt: new Date(dueMs).toISOString() }),
  };
}

/** Who takes it and until when; for many assets the same for all of them. */
export function CheckOutForm({ assets, close, bulk }: Props) {
  const text = useText(assetActionsText);
  const { timeZone } = usePlace();
  const checkOut = useCheckOut(close);
  const [custodian, setCustodian] = useState('');
  const [due, setDue] = useState('');
  const fitting = assets.filter(canCheckOut);
  const dueMs = fromField(due, timeZone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = fitting;
    const body = bodyOf(custodian, dueMs);
    if (assets.length === 1 && first) checkOut.mutate({ asset: first, body });
    else bulk.run({ kind: 'checkOut', assets: fitting, run: (asset) => checkOutAsset(asset, body) });
  };
  const skipped = assets.length - fitting.length;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={checkOut.error} />
        {skipped > 0 && <Text size="sm">{text.bulkSkipped(skipped)}</Text>}
        <Person value={custodian} set={setCustodian} />
        <Due value={due} set={setDue} dueMs={dueMs} />
        <FormEnd
          action={text.checkOut}
          busy={checkOut.isPending || bulk.progress !== null}
          disabled={fitting.length === 0 || (due !== '' && dueMs === null)}
          close={close}
        />
      </Stack>
    </form>
  );
}

interface Field {
  readonly value: string;
  readonly set: (value: string) => void;
}

function Person({ value, set }: Field) {
  const text = useText(assetActionsText);
  const known = wordsOf(useSample('checked_out').data ?? [], 'custodian');
  return (
    <Autocomplete
      data-autofocus
      label={text.custodian}
      description={text.custodianHint}
      data={known}
      limit={20}
      maxLength={NAME_MAX}
      value={value}
      onChange={set}
    />
  );
}

function Due({ value, set, dueMs }: Field & { readonly dueMs: number | null }) {
  const text = useText(assetActionsText);
  const now = useNow();
  const { timeZone } = usePlace();
  const choices = [
    { name: text.dueToday, field: endOfDay(now, timeZone, 0) },
    { name: text.dueTomorrow, field: endOfDay(now, timeZone, 1) },
    { name: text.dueWeek, field: endOfDay(now, timeZone, 7) },
    { name: text.dueNone, field: '' },
  ];
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack gap="xs">
      <Input.Wrapper label={text.dueChoices} labelElement="div">
        <Group gap="xs" mt={4}>
          {choices.map(({ name, field }) => (
            <Button
              key={name}
              size="xs"
              variant={value === field ? 'light' : 'default'}
              aria-pressed={value === field}
              onClick={() => set(field)}
            >
              {name}
            </Button>
          ))}
        </Group>
      </Input.Wrapper>
      <TextInput
        type="datetime-local"
        label={text.due}
        description={text.dueHint(zone)}
        error={value !== '' && dueMs === null && text.dueWrong}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
      {dueMs !== null && dueMs < now && <Text size="sm">{text.duePast}</Text>}
    </Stack>
  );
}
