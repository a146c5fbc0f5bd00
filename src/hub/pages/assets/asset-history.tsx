import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArchive,
  IconArrowBackUp,
  IconArrowUpRight,
  IconEyeCheck,
  IconLogin2,
  IconLogout2,
  IconPencil,
  IconPlus,
} from '@tabler/icons-react';
import { memo } from 'react';
import { assetsText } from '../../text/assets.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { Failed } from '../../ui/failed.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useHistory } from './asset-queries.ts';
import { EventDetail } from './event-detail.tsx';
import { movesTogether, type Shown } from './moves.ts';

const looks = {
  created: { icon: IconPlus, color: 'petrol' },
  updated: { icon: IconPencil, color: 'gray' },
  check_out: { icon: IconArrowUpRight, color: 'blue' },
  check_in: { icon: IconArrowBackUp, color: 'green' },
  zone_enter: { icon: IconLogin2, color: 'gray' },
  zone_exit: { icon: IconLogout2, color: 'gray' },
  marked_missing: { icon: IconAlertTriangle, color: 'red' },
  found: { icon: IconEyeCheck, color: 'green' },
  retired: { icon: IconArchive, color: 'gray' },
} as const;

const Entry = memo(function Entry({ event, from }: Shown) {
  const text = useText(assetsText);
  const kind = event.meta.updated ? 'updated' : event.kind;
  const { icon: Icon, color } = looks[kind];
  return (
    <Group component="li" gap="sm" align="flex-start" wrap="nowrap">
      <ThemeIcon variant="light" color={color} radius="xl" size={28}>
        <Icon size={16} aria-hidden />
      </ThemeIcon>
      <Stack gap={0} miw={0} flex={1}>
        <Text size="sm" component="div" fw={500} className="anything">
          {text.kinds[kind]} {event.meta.zoneName ?? event.zoneName}
        </Text>
        {from === undefined ? (
          <EventDetail event={event} />
        ) : (
          <Text size="sm" component="div" className="anything">
            {text.from} <bdi>{from}</bdi>
          </Text>
        )}
        <Text size="xs" c="dimmed" component="span">
          <When at={event.occurredAt} />
        </Text>
      </Stack>
    </Group>
  );
});

/** What happened to an asset, newest first. */
export function AssetHistory({ id }: { readonly id: string }) {
  const text = useText(assetsText);
  const common = useText(commonText);
  const query = useHistory(id);
  const events = movesTogether(query.data?.pages.flatMap(({ items }) => items) ?? []);
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {text.history}
      </Title>
      {!query.data &&
        (query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />)}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {events.map((shown) => (
          <Entry key={shown.event.id} {...shown} />
        ))}
      </Stack>
      {query.data && events.length === 0 && <Text size="sm">{text.historyEmpty}</Text>}
      {query.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {common.more}
        </Button>
      )}
    </Stack>
  );
}
