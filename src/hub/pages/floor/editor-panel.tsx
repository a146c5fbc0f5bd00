import { ActionIcon, Button, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { AntennaReads } from '../../../contract/radio.ts';
import type { Zone } from '../../../contract/zone.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { type Drawing, placedAntenna, withCorner, without, withZone } from './draft.ts';
import classes from './floor.module.css';
import { usePorts } from './queries.ts';
import type { Apply } from './use-draft.ts';

interface Props {
  readonly zones: readonly Zone[];
  readonly drawing: Drawing;
  readonly selected: string;
  readonly select: (zoneId: string) => void;
  readonly apply: Apply;
}

/** What there is to draw, and what is drawn of it. */
export function EditorPanel(props: Props) {
  const text = useText(floorText);
  const ports = usePorts().data ?? [];
  const zoneIds = new Set(props.zones.map(({ id }) => id));
  const own = ports.filter(({ zoneId }) => zoneId !== null && zoneIds.has(zoneId));
  return (
    <Stack gap="md">
      <Paper withBorder p="sm" component="section" aria-labelledby="draw-zones">
        <Title order={2} size="h5" id="draw-zones" mb={4}>
          {text.zones}
        </Title>
        <ul className={classes.list}>
          {props.zones.map((zone) => (
            <li key={zone.id}>
              <ZoneRow {...props} zone={zone} />
            </li>
          ))}
        </ul>
      </Paper>
      <Paper withBorder p="sm" component="section" aria-labelledby="draw-antennas">
        <Title order={2} size="h5" id="draw-antennas" mb={4}>
          {text.antennas}
        </Title>
        {own.length === 0 && <Text size="sm">{text.noAntennas}</Text>}
        <ul className={classes.list}>
          {own.map((port) => (
            <li key={`${port.readerId} ${port.port}`}>
              <AntennaRow port={port} drawing={props.drawing} apply={props.apply} />
            </li>
          ))}
        </ul>
      </Paper>
    </Stack>
  );
}

const NAME_MAX = 80;

function ZoneRow({ zone, drawing, selected, select, apply }: Props & { readonly zone: Zone }) {
  const text = useText(floorText);
  const points = drawing.zones.find(({ zoneId }) => zoneId === zone.id)?.points;
  const name = zone.name.slice(0, NAME_MAX);
  const draw = () => {
    apply((old) => withZone(old, zone.id));
    select(zone.id);
  };
  if (!points)
    return (
      <Row name={name}>
        <Button size="compact-sm" variant="default" aria-label={text.drawZone(name)} onClick={draw}>
          {text.drawIt}
        </Button>
      </Row>
    );
  return (
    <Group wrap="nowrap" gap={4}>
      <UnstyledButton
        className={classes.row}
        aria-pressed={selected === zone.id}
        data-lit={selected === zone.id ? true : undefined}
        onClick={() => select(zone.id)}
      >
        <Text className="anything" lineClamp={2}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {text.corners(points.length)}
        </Text>
      </UnstyledButton>
      {selected === zone.id && <AddCorner {...{ zoneId: zone.id, last: points.length - 1, apply }} />}
      <Remove
        name={text.removeZone(name)}
        run={() => apply((old) => without(old, { kind: 'zone', zoneId: zone.id }))}
      />
    </Group>
  );
}

interface AddProps {
  readonly zoneId: string;
  readonly last: number;
  readonly apply: Apply;
}

function AddCorner({ zoneId, last, apply }: AddProps) {
  const text = useText(floorText);
  return (
    <ActionIcon
      variant="default"
      aria-label={text.addCorner}
      title={text.addCorner}
      onClick={() => apply((old) => withCorner(old, zoneId, last))}
    >
      <IconPlus size={16} aria-hidden />
    </ActionIcon>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" px={10} py={6}>
      <Text className="anything" lineClamp={2} title={name}>
        {name}
      </Text>
      {children}
    </Group>
  );
}

function Remove({ name, run }: { readonly name: string; readonly run: () => void }) {
  return (
    <ActionIcon variant="default" aria-label={name} title={name} onClick={run}>
      <IconTrash size={16} aria-hidden />
    </ActionIcon>
  );
}

interface AntennaProps {
  readonly port: AntennaReads;
  readonly drawing: Drawing;
  readonly apply: Apply;
}

function AntennaRow({ port, drawing, apply }: AntennaProps) {
  const text = useText(floorText);
  const name = text.antenna(port.readerName.slice(0, NAME_MAX), port.port);
  const isPlaced = drawing.antennas.some((one) => one.readerId === port.readerId && one.port === port.port);
  return (
    <Row name={name}>
      {isPlaced ? (
        <Remove
          name={text.removeAntenna(name)}
          run={() => apply((old) => without(old, { kind: 'antenna', ...port }))}
        />
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={text.placeAntenna(name)}
          onClick={() => apply((old) => placedAntenna(old, port))}
        >
          {text.place}
        </Button>
      )}
    </Row>
  );
}
