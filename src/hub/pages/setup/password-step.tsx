import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useMe } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { StepProps } from './step-props.ts';

/** A password of one's own in place of the one that the first start printed. */
export function PasswordStep({ isDone, next }: StepProps) {
  const text = useText(setupText);
  if (!isDone) return <PasswordForm next={next} />;
  return (
    <Stack align="flex-start">
      <Alert color="green" variant="light" icon={<IconCircleCheck aria-hidden />}>
        {text.passwordDone}
      </Alert>
      <Button onClick={() => next()}>{text.next}</Button>
    </Stack>
  );
}

const LENGTH_MIN = 10;
const empty = { current: '', wanted: '', again: '' };

function usePasswordForm(next: StepProps['next']) {
  const [typed, setTyped] = useState(empty);
  const [isTried, setTried] = useState(false);
  const isShort = typed.wanted.length < LENGTH_MIN;
  const isOther = typed.wanted !== typed.again;
  const change = useAction({
    run: () =>
      call('POST', '/auth/password', { body: { currentPassword: typed.current, newPassword: typed.wanted } }),
    changes: [['me']],
    quiet: true,
    onDone: () => next(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isShort && !isOther) change.mutate();
  };
  const field = (name: keyof typeof empty) => ({
    value: typed[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setTyped((before) => ({ ...before, [name]: value }));
    },
  });
  return { change, submit, field, isShort: isTried && isShort, isOther: isTried && isOther };
}

function PasswordForm({ next }: Pick<StepProps, 'next'>) {
  const text = useText(setupText);
  const email = useMe().data?.email ?? '';
  const { change, submit, field, isShort, isOther } = usePasswordForm(next);
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={420}>
        <Text>{text.passwordWhy}</Text>
        <Refusal error={change.error} />
        {/* For password managers. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput label={text.current} autoComplete="current-password" {...field('current')} />
        <PasswordInput
          label={text.wanted}
          description={text.wantedHow}
          autoComplete="new-password"
          error={isShort ? text.tooShort : null}
          {...field('wanted')}
        />
        <PasswordInput
          label={text.again}
          autoComplete="new-password"
          error={isOther ? text.notSame : null}
          {...field('again')}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {text.setPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
