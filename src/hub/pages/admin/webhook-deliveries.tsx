import { Badge, Table, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { Delivery } from '../../../contract/webhook.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { Pieces } from './pieces.tsx';
import { useDeliveries } from './use-webhooks.ts';
import { AttemptFacts } from './webhook-test.tsx';

/** The last attempts to deliver. */
export function Deliveries({ id }: { readonly id: string }) {
  const text = useText(webhooksText);
  const deliveries = useDeliveries(id);
  return (
    <Loaded query={deliveries}>
      {(all) => (all.length === 0 ? <Empty icon={IconSend} title={text.noDeliveries} /> : <Log all={all} />)}
    </Loaded>
  );
}

function Log({ all }: { readonly all: readonly Delivery[] }) {
  const text = useText(webhooksText);
  return (
    <Pieces items={all}>
      {(shown) => (
        <WideTable label={text.deliveries} heads={[text.when, text.event, text.outcome]} minWidth={480}>
          {shown.map((one) => (
            <DeliveryRow key={`${one.id} ${one.attempt} ${one.at}`} delivery={one} />
          ))}
        </WideTable>
      )}
    </Pieces>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const text = useText(webhooksText);
  const { at, type, outcome, attempt, events } = delivery;
  const said = { delivered: text.delivered, retrying: text.retrying, dead: text.deadOutcome }[outcome];
  const color = { delivered: 'green', retrying: 'orange', dead: 'red' }[outcome];
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>
        <When at={at} />
      </Table.Td>
      <Table.Td>
        {text.type[type]}
        <Text size="xs" c="dimmed" className="figures">
          {events === undefined || events === 1 ? text.attempt(attempt) : text.messages(events)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" tt="none" color={color}>
          {said}
        </Badge>
        <Text size="xs" c="dimmed" component="div">
          <AttemptFacts attempt={delivery} />
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
