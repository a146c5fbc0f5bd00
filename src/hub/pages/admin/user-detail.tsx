import { Anchor, Divider, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../../contract/user.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { AskButton } from '../../ui/ask-button.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { passwordMin } from './password-rule.ts';
import { RoleChoice } from './user-add.tsx';

interface Props {
  readonly user: User;
  readonly onDeleted: () => void;
}

/** What can be done with a user. */
export function UserDetail({ user, onDeleted }: Props) {
  const text = useText(adminText);
  return (
    <Stack gap="lg">
      <RoleForm user={user} />
      <Divider />
      <PasswordForm user={user} />
      <Divider />
      <Anchor component={Link} size="sm" href={`/admin/audit?resource=users/${user.id}`}>
        {text.part.audit}
      </Anchor>
      <DeleteUser user={user} onDeleted={onDeleted} />
    </Stack>
  );
}

function RoleForm({ user }: Pick<Props, 'user'>) {
  const text = useText(adminText);
  const [role, setRole] = useState(user.role);
  const save = useAction({
    run: () => call('PATCH', `/users/${user.id}`, { body: { role } }),
    // The own role may have changed too.
    changes: [['users'], ['me']],
    done: text.roleSaved,
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={save.error} />
        <RoleChoice role={role} onChange={setRole} />
        <WriteButton type="submit" variant="default" disabled={role === user.role} loading={save.isPending}>
          {text.saveRole}
        </WriteButton>
      </Stack>
    </form>
  );
}

function PasswordForm({ user }: Pick<Props, 'user'>) {
  const text = useText(adminText);
  const [password, setPassword] = useState('');
  const save = useAction({
    run: () => call('PATCH', `/users/${user.id}`, { body: { password } }),
    done: text.passwordSet,
    onDone: () => setPassword(''),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={save.error} />
        <PasswordInput
          label={text.newPassword}
          description={text.passwordRule}
          autoComplete="new-password"
          required
          minLength={passwordMin}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <WriteButton type="submit" variant="default" loading={save.isPending}>
          {text.setPassword}
        </WriteButton>
      </Stack>
    </form>
  );
}

function DeleteUser({ user, onDeleted }: Props) {
  const text = useText(adminText);
  const remove = useAction({
    run: () => call('DELETE', `/users/${user.id}`),
    changes: [['users'], ['me']],
    done: text.userDeleted,
    onDone: onDeleted,
  });
  return (
    <AskButton label={text.deleteUser} action={remove} c="red">
      <span className="anything">{text.deleteUserWhat(user.email)}</span>
    </AskButton>
  );
}
