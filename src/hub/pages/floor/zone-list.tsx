import { Badge, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Zone } from '../../../contract/zone.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import classes from './floor.module.css';
import type { Lit } from './zone-shapes.tsx';

interface Props {
  readonly zones: readonly Zone[];
  readonly drawn: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number> | null;
  readonly lit: Lit | null;
  readonly onOpen: (zoneId: string) => void;
}

/** The zones of the plan in words. */
export function ZoneList({ zones, drawn, counts, lit, onOpen }: Props) {
  const text = useText(floorText);
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby="floor-zones">
      <Stack gap={4}>
        <Title order={2} size="h5" id="floor-zones" px={10}>
          {text.zones}
        </Title>
        <ul className={classes.list}>
          {zones.map((zone) => (
            <li key={zone.id}>
              <Row
                zone={zone}
                isDrawn={drawn.has(zone.id)}
                count={counts?.get(zone.id)}
                lit={lit?.zoneId === zone.id ? lit : null}
                onOpen={onOpen}
              />
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}

interface RowProps {
  readonly zone: Zone;
  readonly isDrawn: boolean;
  readonly count: number | undefined;
  readonly lit: Lit | null;
  readonly onOpen: (zoneId: string) => void;
}

function Row({ zone, isDrawn, count, lit, onOpen }: RowProps) {
  const text = useText(floorText);
  const shown = useCount();
  return (
    <UnstyledButton
      className={classes.row}
      data-lit={lit ? true : undefined}
      data-zone-row={zone.id}
      onClick={() => onOpen(zone.id)}
    >
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text className="anything" lineClamp={2} title={zone.name}>
          {zone.name}
        </Text>
        {count !== undefined && (
          <Text size="sm" fw={600} className="figures" style={{ whiteSpace: 'nowrap' }}>
            {text.tagsHere(shown(count))}
          </Text>
        )}
      </Group>
      {(lit || !isDrawn) && (
        <Group gap={6} mt={4}>
          {lit && (
            <Badge variant="light" color="orange" tt="none">
              {lit.isThere ? text.here : text.wasHere}
            </Badge>
          )}
          {!isDrawn && (
            <Badge variant="light" color="gray" tt="none">
              {text.notDrawn}
            </Badge>
          )}
        </Group>
      )}
    </UnstyledButton>
  );
}
