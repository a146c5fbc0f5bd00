import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconArrowNarrowRight, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { When } from '../../time/when.tsx';
import classes from './last-moves.module.css';
import type { HeardMove } from './moves.ts';

interface LineProps {
  readonly heard: HeardMove;
  readonly from: string;
}

const Line = memo(function Line({ heard: { move }, from }: LineProps) {
  const text = useText(nowText);
  return (
    <li className={classes.line}>
      <Anchor component={Link} href={`/tags/${move.epc}`} size="sm" className={`${classes.tag} anything`}>
        {move.label ? move.label.slice(0, 200) : <span className="code">{move.epc}</span>}
      </Anchor>
      <Text span size="sm" className={classes.way}>
        <span className={`${classes.from} anything`}>{from}</span>
        <IconArrowNarrowRight size={16} role="img" aria-label={text.to} className={classes.arrow} />
        <span className="anything">{move.zoneName}</span>
      </Text>
      <Text span size="sm" c="dimmed" className={classes.when}>
        <When at={move.at} />
      </Text>
    </li>
  );
});

interface Props {
  readonly moves: readonly HeardMove[];
  /** Names of the zones by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** What moved last, newest first. Pausing keeps it still, so that it can be read. */
export function LastMoves({ moves, names }: Props) {
  const text = useText(nowText);
  const [kept, keep] = useState<readonly HeardMove[] | null>(null);
  const shown = kept ?? moves;
  const fromOf = (zoneId: string | undefined) =>
    zoneId === undefined ? text.firstSeen : (names.get(zoneId) ?? text.unknownZone);
  const Icon = kept ? IconPlayerPlay : IconPlayerPause;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="moves">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h4" id="moves">
            {text.moves}
          </Title>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => keep(kept ? null : moves)}
          >
            {kept ? text.goOn : text.pause}
          </Button>
        </Group>
        {kept && (
          <Text size="sm" role="status">
            {text.paused}
          </Text>
        )}
        {shown.length === 0 && (
          <Text size="sm" c="dimmed">
            {text.noMoves}
          </Text>
        )}
        <ol className={classes.list}>
          {shown.map((heard) => (
            <Line key={heard.no} heard={heard} from={fromOf(heard.move.fromZoneId)} />
          ))}
        </ol>
      </Stack>
    </Paper>
  );
}
