import { Badge, Switch, Table, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ApiKey } from '../../../contract/api-key.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { AddKey } from './key-add.tsx';
import { RevokeKey } from './key-revoke.tsx';
import { Pieces } from './pieces.tsx';
import { Section } from './section.tsx';

const useKeys = () =>
  useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => call<ApiKey[]>('GET', '/api-keys', { signal }),
  });

/** Keys of programs. */
export function Keys() {
  const text = useText(adminText);
  const keys = useKeys();
  const [location, go] = useLocation();
  const close = () => go('/admin/keys');
  const isNew = location === '/admin/keys/new';
  return (
    <Section
      title={text.part.keys}
      about={text.keysAbout}
      actions={
        <WriteButton leftSection={<IconPlus size={16} aria-hidden />} onClick={() => go('/admin/keys/new')}>
          {text.addKey}
        </WriteButton>
      }
    >
      <Loaded query={keys}>{(all) => <KeyList keys={all} />}</Loaded>
      <SideDrawer opened={isNew} onClose={close} title={text.addKey}>
        {isNew && <AddKey onDone={close} />}
      </SideDrawer>
    </Section>
  );
}

function KeyList({ keys }: { readonly keys: readonly ApiKey[] }) {
  const text = useText(adminText);
  const [withOld, setWithOld] = useState(false);
  const old = keys.filter(({ state }) => state !== 'valid').length;
  const shown = withOld ? keys : keys.filter(({ state }) => state === 'valid');
  return (
    <>
      {old > 0 && (
        <Switch
          label={`${text.showOld} (${old})`}
          checked={withOld}
          onChange={(event) => setWithOld(event.currentTarget.checked)}
        />
      )}
      {shown.length === 0 ? (
        <Empty icon={IconKey} title={text.noKeys}>
          <Text size="sm" c="dimmed">
            {text.noKeysHow}
          </Text>
        </Empty>
      ) : (
        <KeyTable keys={shown} />
      )}
    </>
  );
}

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const text = useText(adminText);
  const heads = [text.keyName, text.state, text.lastUsed, text.expires, text.created, text.actions];
  return (
    <Pieces items={keys}>
      {(shown) => (
        <WideTable label={text.part.keys} heads={heads} minWidth={760}>
          {shown.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </WideTable>
      )}
    </Pieces>
  );
}

const colors = { valid: 'green', revoked: 'gray', expired: 'orange' } as const;

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const text = useText(adminText);
  const common = useText(commonText);
  const { name, state, lastUsedAt, expiresAt, createdAt } = apiKey;
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <CutText size="sm" max={120}>
          {name}
        </CutText>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" tt="none" color={colors[state]}>
          {text[state]}
        </Badge>
      </Table.Td>
      <Table.Td>{lastUsedAt ? <When at={lastUsedAt} /> : common.never}</Table.Td>
      <Table.Td>{expiresAt ? <When at={expiresAt} /> : text.noEnd}</Table.Td>
      <Table.Td>
        <When at={createdAt} />
      </Table.Td>
      <Table.Td>{state === 'valid' && <RevokeKey apiKey={apiKey} />}</Table.Td>
    </Table.Tr>
  );
}
