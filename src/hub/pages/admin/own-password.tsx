import { Paper, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useMe } from '../../api/queries.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { passwordMin } from './password-rule.ts';

const nothing = { currentPassword: '', newPassword: '' };

/** The own password, for everybody. */
export function OwnPassword() {
  const text = useText(adminText);
  const me = useMe().data;
  const [typed, setTyped] = useState(nothing);
  const change = useAction({
    run: (body: typeof nothing) => call('POST', '/auth/password', { body }),
    changes: [['me']],
    done: text.ownChanged,
    onDone: () => setTyped(nothing),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(typed);
  };
  return (
    <Paper withBorder p="lg" maw={480}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {text.ownAbout}
          </Text>
          <Refusal error={change.error} />
          {/* Password managers want to know whose it is. */}
          <input type="hidden" autoComplete="username" value={me?.email ?? ''} readOnly />
          <PasswordInput
            label={text.currentPassword}
            required
            autoComplete="current-password"
            value={typed.currentPassword}
            onChange={(event) => setTyped({ ...typed, currentPassword: event.currentTarget.value })}
          />
          <PasswordInput
            label={text.newPassword}
            description={text.passwordRule}
            required
            minLength={passwordMin}
            autoComplete="new-password"
            value={typed.newPassword}
            onChange={(event) => setTyped({ ...typed, newPassword: event.currentTarget.value })}
          />
          <WriteButton type="submit" loading={change.isPending}>
            {text.change}
          </WriteButton>
        </Stack>
      </form>
    </Paper>
  );
}
