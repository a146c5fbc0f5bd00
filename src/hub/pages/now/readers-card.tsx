import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useReaders } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { useCount } from '../../time/numbers.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Side } from './side.tsx';
import { unwell } from './unwell.ts';

const colors: Readonly<Record<Reader['displayStatus'], string>> = {
  'Online and Reading': 'green',
  'Online and Idle': 'blue',
  Degraded: 'orange',
  Offline: 'red',
};
// The keys are all there are.
const statuses = Object.keys(colors) as Reader['displayStatus'][];
const NAMED = 6;

function Unwell({ reader }: { readonly reader: Reader }) {
  const text = useText(nowText);
  const reason = reader.offlineReason ? text.reason[reader.offlineReason] : text.noCommands;
  return (
    <div>
      <Anchor
        component={Link}
        href={`/readers/${reader.id}`}
        size="sm"
        fw={600}
        className="anything"
        lineClamp={2}
      >
        {reader.name}
      </Anchor>
      <Text size="sm">{reason}</Text>
    </div>
  );
}

/** How many readers stand where; those that do not do what they should, by name, with the reason. */
export function ReadersCard() {
  const text = useText(nowText);
  const shown = useCount();
  const query = useReaders();
  return (
    <Side title={text.readers} id="readers">
      <Loaded query={query}>
        {(readers) => {
          const bad = unwell(readers);
          const counts = statuses
            .map((status) => ({
              status,
              count: readers.filter((one) => one.displayStatus === status).length,
            }))
            .filter(({ count }) => count > 0);
          if (readers.length === 0) return <Text size="sm">{text.noReaders}</Text>;
          return (
            <Stack gap="xs">
              <Group gap="xs">
                {counts.map(({ status, count }) => (
                  <Badge key={status} variant="light" color={colors[status]} tt="none" size="lg">
                    {shown(count)} {text.status[status]}
                  </Badge>
                ))}
              </Group>
              {bad.slice(0, NAMED).map((reader) => (
                <Unwell key={reader.id} reader={reader} />
              ))}
              {bad.length > NAMED && <Text size="sm">{text.andMore(bad.length - NAMED)}</Text>}
            </Stack>
          );
        }}
      </Loaded>
    </Side>
  );
}
