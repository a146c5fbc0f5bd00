import { Alert, Anchor, Button, Group, Paper, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { TagLocation } from '../../../contract/tag-location.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { useReason } from '../../ui/failed.tsx';
import { useFound } from './queries.ts';

interface Props {
  readonly epc: string;
  readonly query: UseQueryResult<TagLocation>;
  readonly onPlay: () => void;
}

const NAME_MAX = 80;

/** Where the tag that was searched for is, in a sentence. */
export function TagBar({ epc, query, onPlay }: Props) {
  const text = useText(floorText);
  const reason = useReason();
  if (query.error && !query.data)
    return (
      <Alert color="orange" role="alert">
        <span className="anything">{reason(query.error)}</span>
      </Alert>
    );
  if (!query.data) return null;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="sm">
        <div>
          <Sentence location={query.data} />
          <Text size="sm" c="dimmed" component="div">
            <Since location={query.data} />
          </Text>
        </div>
        <Group gap="sm">
          <Anchor component={Link} href={`/tags/${encodeURIComponent(epc)}`} size="sm">
            {text.allOfTag}
          </Anchor>
          <Button variant="default" leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={onPlay}>
            {text.playDay}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}

function Sentence({ location }: { readonly location: TagLocation }) {
  const text = useText(floorText);
  const { epc, zoneName, present } = location;
  const label = useFound(epc).data?.find((one) => one.epc === epc)?.label;
  const name = label ? label.slice(0, NAME_MAX) : epc;
  const zone = zoneName?.slice(0, NAME_MAX) ?? '';
  const words =
    zoneName === null ? text.isNowhere(name) : present ? text.isIn(name, zone) : text.wasIn(name, zone);
  return (
    <Text fw={600} className="anything" role="status">
      {words}
    </Text>
  );
}

function Since({ location }: { readonly location: TagLocation }) {
  const text = useText(floorText);
  const { since, lastSeenAt } = location;
  return (
    <>
      {since && (
        <>
          {text.sinceWord} <When at={since} />.{' '}
        </>
      )}
      {lastSeenAt && (
        <>
          {text.lastSeen} <When at={lastSeenAt} />.
        </>
      )}
    </>
  );
}
