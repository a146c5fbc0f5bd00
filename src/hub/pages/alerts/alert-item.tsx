import { Anchor, Badge, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { Alert } from '../../../contract/alert.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import type { Move } from './use-alerts.ts';

interface Props {
  readonly alert: Alert;
  readonly isChosen: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (id: string, isIn: boolean) => void;
  readonly onMove: (move: Move) => void;
}

const LABEL_MAX = 120;

/** An alert: what is wrong, where to go, and what can be done with it. */
export const AlertItem = memo(function AlertItem({ alert, isChosen, isBusy, onChoose, onMove }: Props) {
  const text = useText(alertsText);
  return (
    <Paper component="li" withBorder p="md">
      <Group align="flex-start" wrap="nowrap" gap="md">
        {alert.state !== 'resolved' && (
          <Checkbox
            size="md"
            mt={2}
            aria-label={text.select(alert.message.slice(0, LABEL_MAX))}
            checked={isChosen}
            onChange={(event) => onChoose(alert.id, event.currentTarget.checked)}
          />
        )}
        <Stack gap="xs" flex={1} miw={0}>
          <Facts alert={alert} />
          <CutText>{alert.message}</CutText>
          <Ways alert={alert} isBusy={isBusy} onMove={onMove} />
        </Stack>
      </Group>
    </Paper>
  );
});

function Severity({ severity }: Pick<Alert, 'severity'>) {
  const text = useText(alertsText);
  const isCritical = severity === 'critical';
  const Icon = isCritical ? IconAlertOctagon : IconAlertTriangle;
  return (
    <Badge
      variant="light"
      tt="none"
      color={isCritical ? 'red' : 'orange'}
      leftSection={<Icon size={14} aria-hidden />}
    >
      {text[severity]}
    </Badge>
  );
}

function Facts({ alert: { severity, subjectType, openedAt, ackedAt, resolvedAt } }: Pick<Props, 'alert'>) {
  const text = useText(alertsText);
  return (
    <Group gap="xs">
      <Severity severity={severity} />
      <Text size="sm" fw={600}>
        {text[subjectType]}
      </Text>
      <Text size="sm" c="dimmed">
        {text.opened} <When at={openedAt} />
      </Text>
      {ackedAt && (
        <Text size="sm" c="dimmed">
          {text.ackedAt} <When at={ackedAt} />
        </Text>
      )}
      {resolvedAt && (
        <Text size="sm" c="dimmed">
          {text.resolvedAt} <When at={resolvedAt} />
        </Text>
      )}
    </Group>
  );
}

function Ways({ alert, isBusy, onMove }: Pick<Props, 'alert' | 'isBusy' | 'onMove'>) {
  const text = useText(alertsText);
  const isReader = alert.subjectType === 'reader';
  const ids = [alert.id];
  return (
    <Group gap="sm">
      {alert.state === 'open' && (
        <WriteButton
          size="sm"
          variant="light"
          leftSection={<IconCheck size={16} aria-hidden />}
          loading={isBusy}
          onClick={() => onMove({ ids, state: 'acked' })}
        >
          {text.acknowledge}
        </WriteButton>
      )}
      {alert.state !== 'resolved' && (
        <WriteButton
          size="sm"
          variant="default"
          disabled={isBusy}
          onClick={() => onMove({ ids, state: 'resolved' })}
        >
          {text.resolve}
        </WriteButton>
      )}
      <Anchor component={Link} size="sm" href={`/${isReader ? 'readers' : 'assets'}/${alert.subjectId}`}>
        {isReader ? text.openReader : text.openAsset}
      </Anchor>
    </Group>
  );
}
