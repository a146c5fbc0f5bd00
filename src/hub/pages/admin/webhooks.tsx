import { Anchor, Table, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import type { Webhook } from '../../../contract/webhook.ts';
import { adminText } from '../../text/admin.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { Section } from './section.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { AddWebhook } from './webhook-add.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookState } from './webhook-state.tsx';

const TITLE_MAX = 200;

/** Who it goes to, in short. */
const targetOf = ({ url, emailTo }: Webhook) => (url ?? (emailTo ?? []).join(', ')).slice(0, TITLE_MAX);

/** Who is told of what; the one that is open is in the address. */
export function Webhooks() {
  const text = useText(webhooksText);
  const admin = useText(adminText);
  const webhooks = useWebhooks();
  const [location, go] = useLocation();
  const open = location.split('/')[3];
  const close = () => go('/admin/webhooks');
  const isNew = open === 'new';
  const webhook = webhooks.data?.find(({ id }) => id === open);
  return (
    <Section
      title={admin.part.webhooks}
      about={text.about}
      actions={
        <WriteButton
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => go('/admin/webhooks/new')}
        >
          {text.add}
        </WriteButton>
      }
    >
      <Loaded query={webhooks}>{(all) => <WebhookList webhooks={all} />}</Loaded>
      <SideDrawer opened={isNew} onClose={close} title={text.add}>
        {isNew && <AddWebhook onDone={(id) => go(id ? `/admin/webhooks/${id}` : '/admin/webhooks')} />}
      </SideDrawer>
      <SideDrawer
        opened={Boolean(open) && !isNew && webhooks.data !== undefined}
        onClose={close}
        title={webhook ? targetOf(webhook) : text.webhook}
        size={640}
      >
        {webhook ? (
          <WebhookDetail key={webhook.id} webhook={webhook} onDeleted={close} />
        ) : (
          open && admin.gone
        )}
      </SideDrawer>
    </Section>
  );
}

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const text = useText(webhooksText);
  const admin = useText(adminText);
  if (webhooks.length === 0)
    return (
      <Empty icon={IconWebhook} title={text.none}>
        <Text size="sm" c="dimmed">
          {text.noneHow}
        </Text>
      </Empty>
    );
  return (
    <WideTable
      label={admin.part.webhooks}
      heads={[text.target, text.told, text.state, text.waiting]}
      minWidth={640}
    >
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.id} webhook={webhook} />
      ))}
    </WideTable>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const text = useText(webhooksText);
  const shown = useCount();
  const { id, url, types, waiting } = webhook;
  const [only] = types;
  return (
    <Table.Tr>
      <Table.Td maw={420}>
        <Anchor component={Link} size="sm" href={`/admin/webhooks/${id}`} className="anything">
          {targetOf(webhook)}
        </Anchor>
        <Text size="xs" c="dimmed">
          {url === null ? text.mail : text.webhook}
        </Text>
      </Table.Td>
      <Table.Td>{types.length === 1 && only ? text.type[only] : text.types(types.length)}</Table.Td>
      <Table.Td>
        <WebhookState webhook={webhook} />
      </Table.Td>
      <Table.Td className="figures">{shown(waiting)}</Table.Td>
    </Table.Tr>
  );
}
