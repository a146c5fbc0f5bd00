import { Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { MadeApiKey } from '../../../contract/api-key.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { usePlace } from '../../time/when.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { endOfDay } from './end-of-day.ts';
import { SecretOnce } from './secret-once.tsx';

/** A new key, and then the key itself, once. */
export function AddKey({ onDone }: { readonly onDone: () => void }) {
  const text = useText(adminText);
  const { timeZone } = usePlace();
  const [name, setName] = useState('');
  const [day, setDay] = useState('');
  const add = useAction({
    run: () =>
      call<MadeApiKey>('POST', '/api-keys', {
        body: { name: name.trim(), expiresAt: day ? endOfDay(day, timeZone) : null },
      }),
    changes: [['api-keys']],
    quiet: true,
  });
  if (add.data)
    return <SecretOnce label={text.keyOf(add.data.name)} secret={add.data.key} onTaken={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={add.error} />
        <TextInput
          data-autofocus
          label={text.keyName}
          description={text.keyNameHint}
          required
          autoComplete="off"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={text.expires}
          description={text.expiresHint}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <WriteButton type="submit" loading={add.isPending}>
          {text.addKey}
        </WriteButton>
      </Stack>
    </form>
  );
}
