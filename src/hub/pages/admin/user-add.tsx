import { PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { MadeUser, User } from '../../../contract/user.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { passwordMin } from './password-rule.ts';
import { SecretOnce } from './secret-once.tsx';

interface Typed {
  readonly email: string;
  readonly role: User['role'];
  readonly password: string;
}

function useAddUser(onDone: () => void) {
  const text = useText(adminText);
  return useAction({
    run: ({ email, role, password }: Typed) =>
      call<MadeUser>('POST', '/users', { body: { email, role, ...(password && { password }) } }),
    changes: [['users']],
    done: text.userAdded,
    onDone: (user) => user.password === undefined && onDone(),
    quiet: true,
  });
}

/** A new user; a password that the appliance made is shown before the form goes. */
export function AddUser({ onDone }: { readonly onDone: () => void }) {
  const text = useText(adminText);
  const add = useAddUser(onDone);
  const [typed, setTyped] = useState<Typed>({ email: '', role: 'operator', password: '' });
  const made = add.data;
  if (made?.password !== undefined)
    return <SecretOnce label={text.madePassword(made.email)} secret={made.password} onTaken={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(typed);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={add.error} />
        <TextInput
          data-autofocus
          label={text.email}
          type="email"
          required
          autoComplete="off"
          maxLength={255}
          value={typed.email}
          onChange={(event) => setTyped({ ...typed, email: event.currentTarget.value })}
        />
        <RoleChoice role={typed.role} onChange={(role) => setTyped({ ...typed, role })} />
        <PasswordInput
          label={text.password}
          description={text.passwordHint}
          autoComplete="new-password"
          minLength={passwordMin}
          value={typed.password}
          onChange={(event) => setTyped({ ...typed, password: event.currentTarget.value })}
        />
        <WriteButton type="submit" loading={add.isPending}>
          {text.addUser}
        </WriteButton>
      </Stack>
    </form>
  );
}

interface ChoiceProps {
  readonly role: User['role'];
  readonly onChange: (role: User['role']) => void;
}

/** Operator or administrator, with what each may do. */
export function RoleChoice({ role, onChange }: ChoiceProps) {
  const text = useText(adminText);
  return (
    <Radio.Group
      label={text.role}
      value={role}
      onChange={(value) => onChange(value === 'admin' ? 'admin' : 'operator')}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="operator" label={text.operator} description={text.operatorAbout} />
        <Radio value="admin" label={text.admin} description={text.adminAbout} />
      </Stack>
    </Radio.Group>
  );
}
