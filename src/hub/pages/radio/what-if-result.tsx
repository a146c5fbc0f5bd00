import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import type { WhatIf } from '../../../contract/radio.ts';
import type { Zone } from '../../../contract/zone.ts';
import { useZones } from '../../api/queries.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { clock } from '../../time/format.ts';
import { decimal } from '../../time/numbers.ts';
import { usePlace } from '../../time/when.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import classes from './radio.module.css';
import type { Trial } from './trial.ts';
import { useAdopt } from './use-adopt.tsx';

/** A window that begins so much later than asked for has its reason said. */
const SLACK_MS = 2000;

/** What the policy would have changed, in a sentence and zone by zone, and the way to take it over. */
export function WhatIfResult({ result, trial }: { readonly result: WhatIf; readonly trial: Trial }) {
  const text = useText(radioText);
  const { language } = useLanguage();
  const place = usePlace();
  const { avoided } = result;
  const amount = decimal(Math.abs(avoided), language);
  const words = avoided > 0 ? text.avoided(amount) : avoided < 0 ? text.added(amount) : text.noChange;
  const isShort = Date.parse(result.to) - Date.parse(result.from) < trial.seconds * 1000 - SLACK_MS;
  const color = avoided > 0 ? 'green' : avoided < 0 ? 'orange' : 'gray';
  return (
    <Stack gap="sm">
      <Group gap="sm" role="status">
        <Badge size="lg" variant="light" tt="none" color={color}>
          {words}
        </Badge>
        <Text>{text.result(decimal(result.moves, language), decimal(result.movesWith, language))}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {text.resultOf(decimal(result.reads, language), decimal(result.tags, language))}{' '}
        {isShort && text.reaches(clock(Date.parse(result.from), place))}
      </Text>
      <Zones result={result} trial={trial} />
    </Stack>
  );
}

function Zones({ result, trial }: { readonly result: WhatIf; readonly trial: Trial }) {
  const text = useText(radioText);
  const known = useZones().data ?? [];
  const adopt = useAdopt();
  const { policy } = trial;
  const use = (zones: readonly Zone[]) => adopt.mutate({ zones, policy });
  const open = known.filter(
    ({ id, locationPolicy }) => locationPolicy !== policy && (!trial.zoneId || id === trial.zoneId),
  );
  return (
    <>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': text.movesInto } }}
      >
        <Table aria-label={text.movesInto} className="figures">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.movesInto}</Table.Th>
              <Table.Th ta="right">{text.movesNow}</Table.Th>
              <Table.Th ta="right">{text.movesThen}</Table.Th>
              <Table.Th>{text.policyNow}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {result.zones.map((zone) => (
              <ZoneRow
                key={zone.zoneId}
                moves={zone}
                zone={known.find(({ id }) => id === zone.zoneId)}
                use={open.some(({ id }) => id === zone.zoneId) ? use : undefined}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {!trial.zoneId && open.length > 1 && (
        <Group>
          <Writing onClick={() => use(open)} loading={adopt.isPending} label={text.adoptAll} />
        </Group>
      )}
    </>
  );
}

interface RowProps {
  readonly moves: WhatIf['zones'][number];
  readonly zone: Zone | undefined;
  /** Absent where the policy is in use already, or was not tried. */
  readonly use: ((zones: readonly Zone[]) => void) | undefined;
}

function ZoneRow({ moves, zone, use }: RowProps) {
  const text = useText(radioText);
  const { language } = useLanguage();
  const policy = zone?.locationPolicy;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <span className={`anything ${classes.name}`} title={moves.zoneName}>
          {moves.zoneName}
        </span>
      </Table.Th>
      <Table.Td ta="right">{decimal(moves.moves, language)}</Table.Td>
      <Table.Td ta="right">{decimal(moves.movesWith, language)}</Table.Td>
      <Table.Td>
        <Group gap="sm" justify="space-between" wrap="nowrap">
          <Text size="sm">{policy ? text.policies[policy] : text.asAppliance}</Text>
          {zone && use && (
            <Writing
              onClick={() => use([zone])}
              label={text.adopt}
              name={text.adoptFor(zone.name.slice(0, 80))}
            />
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

interface WritingProps {
  readonly onClick: () => void;
  readonly label: string;
  readonly name?: string;
  readonly loading?: boolean;
}

function Writing({ onClick, label, name, loading = false }: WritingProps) {
  return (
    <WriteButton size="compact-sm" variant="default" aria-label={name} loading={loading} onClick={onClick}>
      {label}
    </WriteButton>
  );
}
