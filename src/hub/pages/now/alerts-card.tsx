import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Alert } from '../../../contract/alert.ts';
import { useOpenAlerts } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Side } from './side.tsx';

const SHOWN = 3;

function One({ alert }: { readonly alert: Alert }) {
  const text = useText(nowText);
  return (
    <div>
      <Group gap="xs">
        <Badge variant="light" color={alert.severity === 'critical' ? 'red' : 'orange'} tt="none">
          {text[alert.severity]}
        </Badge>
        <Text span size="sm" c="dimmed">
          <When at={alert.openedAt} />
        </Text>
      </Group>
      <Text size="sm" className="anything" lineClamp={3}>
        {alert.message}
      </Text>
    </div>
  );
}

/** The latest open alerts. */
export function AlertsCard() {
  const text = useText(nowText);
  return (
    <Side title={text.alerts} id="alerts">
      <Loaded query={useOpenAlerts()}>
        {(alerts) =>
          alerts.length === 0 ? (
            <Text size="sm">{text.noAlerts}</Text>
          ) : (
            <Stack gap="sm">
              {alerts.slice(0, SHOWN).map((alert) => (
                <One key={alert.id} alert={alert} />
              ))}
              <Anchor component={Link} href="/alerts" size="sm" py={2}>
                {text.allAlerts} ({alerts.length})
              </Anchor>
            </Stack>
          )
        }
      </Loaded>
    </Side>
  );
}
