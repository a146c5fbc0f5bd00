import { Button, Center, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Identity } from '../../contract/identity.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { sessionBegan, useSessionEnded } from '../api/session.ts';
import { stream } from '../live/stream.ts';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';
import { Refusal } from '../ui/refusal.tsx';
import { useAction } from '../ui/use-action.ts';
import { watchPerson } from './person.ts';

// One of the logins is on every page.
watchPerson();

interface Credentials {
  readonly email: string;
  readonly password: string;
}

function useLogin() {
  return useAction({
    run: (body: Credentials) => call<Identity>('POST', '/auth/login', { body }),
    quiet: true,
    onDone: (me) => {
      queryClient.setQueryData(['me'], me);
      sessionBegan();
      stream.open();
      void queryClient.invalidateQueries();
    },
  });
}

/** E-mail and password; what is wrong is said above them, and what was typed stays. */
function LoginForm() {
  const text = useText(shellText);
  const login = useLogin();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate({ email, password });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={login.error} />
        <TextInput
          data-autofocus
          label={text.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={text.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={login.isPending} fullWidth>
          {text.login}
        </Button>
      </Stack>
    </form>
  );
}

/** The only page for somebody who is not logged in. */
export function LoginPage() {
  const text = useText(shellText);
  return (
    <Center component="main" id="content" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <Stack>
          <Title order={1} size="h3">
            {text.loginTitle}
          </Title>
          <LoginForm />
          <Text size="sm" c="dimmed">
            {text.forgotten}
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}

// Over every drawer and dialog, whichever was opened first, and over the lists and menus that stand out of them.
const Z_INDEX = 350;

/** The login over a page whose session has ended. */
export function LoginAgain() {
  const text = useText(shellText);
  const ended = useSessionEnded();
  return (
    <Modal
      opened={ended}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      zIndex={Z_INDEX}
      title={text.login}
    >
      <Stack>
        <Text size="sm">{text.sessionEnded}</Text>
        <LoginForm />
      </Stack>
    </Modal>
  );
}
