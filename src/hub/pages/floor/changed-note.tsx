import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { usePorts } from './queries.ts';
import type { DraftWork } from './use-draft.ts';

interface Props {
  readonly work: DraftWork;
  /** Names of zones by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The buttons are gone with the note. */
  readonly onSettled: () => void;
}

const NAME_MAX = 80;

/** Says that somebody else has saved a drawing meanwhile, and asks whose holds where both have changed the same. */
export function ChangedNote({ work, names, onSettled }: Props) {
  const text = useText(floorText);
  const nameOf = useNames(names);
  if (work.clashes.length === 0)
    return (
      <Text size="sm" role="status">
        {work.hasJoined && text.joined}
      </Text>
    );
  const settle = (winner: 'mine' | 'theirs') => {
    work.settle(winner);
    onSettled();
  };
  return (
    <Alert color="orange" role="alert" icon={<IconUsers aria-hidden />} title={text.clash}>
      <List size="sm" className="anything">
        {work.clashes.map((key) => (
          <List.Item key={key}>{nameOf(key)}</List.Item>
        ))}
      </List>
      <Text size="sm" my="xs">
        {text.clashWhat}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => settle('theirs')}>
          {text.takeTheirs}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => settle('mine')}>
          {text.keepMine}
        </Button>
      </Group>
    </Alert>
  );
}

/** What a zone or an antenna is called; one that is gone has no name any more. */
function useNames(zones: ReadonlyMap<string, string>): (key: string) => string {
  const text = useText(floorText);
  const ports = usePorts().data ?? [];
  const antennas = new Map(
    ports.map(({ readerId, port, readerName }) => [`${readerId} ${port}`, text.antenna(readerName, port)]),
  );
  return (key) => (zones.get(key) ?? antennas.get(key) ?? text.removedMeanwhile).slice(0, NAME_MAX);
}
