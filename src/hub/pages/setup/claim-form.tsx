import { Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ClaimedDevice } from '../../../contract/device.ts';
import { call } from '../../api/call.ts';
import { CallError } from '../../api/problem.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { useReason } from '../../ui/failed.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';

interface Props {
  readonly onClaimed: (readerId: string) => void;
}

/** Why a code was not taken, with what to do about it where that is known. */
function useRefusal(): (error: unknown) => string {
  const text = useText(setupText);
  const reason = useReason();
  return (error) => {
    const slug = error instanceof CallError ? error.slug : '';
    return new Map(Object.entries(text.claimRefused)).get(slug) ?? reason(error);
  };
}

/** Takes a reader into service by the code on its box. */
export function ClaimForm({ onClaimed }: Props) {
  const text = useText(setupText);
  const refusal = useRefusal();
  const [code, setCode] = useState('');
  const [readerName, setName] = useState('');
  const claim = useAction({
    run: () =>
      call<ClaimedDevice>('POST', '/devices/claim', {
        body: { code: code.trim(), readerName: readerName.trim() },
      }),
    changes: [['readers'], ['devices'], ['license']],
    quiet: true,
    onDone: ({ readerId }) => onClaimed(readerId),
  });
  const isWhole = code.trim() !== '' && readerName.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) claim.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={420}>
        <Refusal error={claim.error} words={refusal} />
        <TextInput
          label={text.code}
          description={text.codeHint}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <TextInput
          label={text.readerName}
          description={text.readerNameHint}
          maxLength={255}
          value={readerName}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group>
          <WriteButton type="submit" loading={claim.isPending} disabled={!isWhole}>
            {text.claim}
          </WriteButton>
        </Group>
      </Stack>
    </form>
  );
}
