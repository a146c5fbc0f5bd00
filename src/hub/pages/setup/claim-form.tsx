import { Alert, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ClaimedDevice } from '../../../contract/device.ts';
import { call } from '../../api/call.ts';
import { CallError } from '../../api/problem.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import { GuardedButton } from '../readers/guarded-button.tsx';
import { useWhyNot } from '../readers/use-why-not.ts';

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
  const common = useText(commonText);
  const refusal = useRefusal();
  const whyNot = useWhyNot();
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
        {claim.error && (
          <Alert color="red" role="alert" title={common.failed}>
            {refusal(claim.error)}
          </Alert>
        )}
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
          <GuardedButton
            whyNot={whyNot}
            type="submit"
            loading={claim.isPending}
            disabled={whyNot === null && !isWhole}
          >
            {text.claim}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
