import { Anchor, Badge, Group, Table } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { User } from '../../../contract/user.ts';
import { call } from '../../api/call.ts';
import { useMe } from '../../api/queries.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { Pieces } from './pieces.tsx';
import { Section } from './section.tsx';
import { AddUser } from './user-add.tsx';
import { UserDetail } from './user-detail.tsx';

const useUsers = () =>
  useQuery({ queryKey: ['users'], queryFn: ({ signal }) => call<User[]>('GET', '/users', { signal }) });

/** Users; the one that is open is in the address. */
export function Users() {
  const text = useText(adminText);
  const users = useUsers();
  const [location, go] = useLocation();
  const open = location.split('/')[3];
  const close = () => go('/admin/users');
  const isNew = open === 'new';
  const user = users.data?.find(({ id }) => id === open);
  return (
    <Section
      title={text.part.users}
      about={text.usersAbout}
      actions={
        <WriteButton leftSection={<IconPlus size={16} aria-hidden />} onClick={() => go('/admin/users/new')}>
          {text.addUser}
        </WriteButton>
      }
    >
      <Loaded query={users}>{(all) => <UserTable users={all} />}</Loaded>
      <SideDrawer opened={isNew} onClose={close} title={text.addUser}>
        {isNew && <AddUser onDone={close} />}
      </SideDrawer>
      <SideDrawer
        opened={Boolean(open) && !isNew && users.data !== undefined}
        onClose={close}
        title={user?.email ?? text.user}
      >
        {user ? <UserDetail key={user.id} user={user} onDeleted={close} /> : open && text.gone}
      </SideDrawer>
    </Section>
  );
}

function UserTable({ users }: { readonly users: readonly User[] }) {
  const text = useText(adminText);
  return (
    <Pieces items={users}>
      {(shown) => (
        <WideTable label={text.part.users} heads={[text.email, text.role, text.added]} minWidth={420}>
          {shown.map((user) => (
            <UserRow key={user.id} user={user} />
          ))}
        </WideTable>
      )}
    </Pieces>
  );
}

function UserRow({ user: { id, email, role, createdAt } }: { readonly user: User }) {
  const text = useText(adminText);
  const isMe = useMe().data?.id === id;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Anchor component={Link} size="sm" href={`/admin/users/${id}`} className="anything">
            {email}
          </Anchor>
          {isMe && (
            <Badge variant="light" tt="none">
              {text.you}
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>{text[role]}</Table.Td>
      <Table.Td>
        <When at={createdAt} />
      </Table.Td>
    </Table.Tr>
  );
}
