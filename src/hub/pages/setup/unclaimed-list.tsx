import { Badge, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { IconRouter } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { ProvisionedDevice, UnclaimedDevice } from '../../../contract/device.ts';
import { call } from '../../api/call.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { When } from '../../time/when.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { useUnclaimed } from './queries.ts';

interface Props {
  readonly onClaimed: (readerId?: string) => void;
}

/** Readers that have an identity and wait for being taken into service. */
export function UnclaimedList({ onClaimed }: Props) {
  const text = useText(setupText);
  const common = useText(commonText);
  const isAdmin = useIsAdmin();
  const unclaimed = useUnclaimed();
  if (!isAdmin) return <Text>{common.adminOnly}</Text>;
  return (
    <Loaded query={unclaimed}>
      {(devices) =>
        devices.length === 0 ? (
          <Empty icon={IconRouter} title={text.waitingTitle}>
            <Text size="sm">{text.waitingNone}</Text>
          </Empty>
        ) : (
          <Stack>
            <Text size="sm">{text.waitingWhy}</Text>
            {devices.map((device) => (
              <WaitingDevice key={device.serial} device={device} onClaimed={onClaimed} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}

function WaitingDevice({ device, onClaimed }: Props & { readonly device: UnclaimedDevice }) {
  const text = useText(setupText);
  const [name, setName] = useState('');
  const { serial } = device;
  // Whoever has the list is an administrator, and needs no code. The identity that comes with it is not used: the reader has one.
  const claim = useAction({
    run: () =>
      call<ProvisionedDevice>('POST', '/devices', {
        body: { serial, claim: true, name: name.trim() || serial },
      }),
    changes: [['readers'], ['devices'], ['license']],
    onDone: ({ readerId }) => onClaimed(readerId ?? undefined),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    claim.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600} className="anything">
            {serial}{' '}
            <Text span c="dimmed">
              {device.model}
            </Text>
          </Text>
          <Contact device={device} />
        </Group>
        <Group gap="xs">
          <TextInput
            aria-label={text.waitingName(serial)}
            placeholder={text.readerNameHint}
            maxLength={255}
            value={name}
            style={{ flex: '1 1 12rem' }}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <WriteButton adminOnly type="submit" loading={claim.isPending}>
            {text.claim}
          </WriteButton>
        </Group>
      </Stack>
    </Paper>
  );
}

function Contact({ device: { brokerStatus, lastSeenAt } }: { readonly device: UnclaimedDevice }) {
  const text = useText(setupText);
  if (brokerStatus === 'connected')
    return (
      <Badge variant="light" color="green" tt="none">
        {text.connected}
      </Badge>
    );
  return (
    <Text size="sm" c="dimmed">
      {lastSeenAt ? <When at={lastSeenAt} /> : text.neverSeen}
    </Text>
  );
}
