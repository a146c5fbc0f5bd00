import { Anchor, Badge, Box, Stack, Table, Text, Title } from '@mantine/core';
import { IconAntennaOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { AntennaReads } from '../../../contract/radio.ts';
import { useReaders } from '../../api/queries.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { decimal } from '../../time/numbers.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { dbm } from './figures.ts';
import { useAntennas, useCrossReads } from './queries.ts';
import classes from './radio.module.css';
import { Section } from './section.tsx';
import { Signal } from './signal-strip.tsx';
import { type Advice, adviceOf, SPAN } from './strength.ts';

/** What every antenna hears, by reader, and what to do about it. */
export function AntennaSection() {
  const text = useText(radioText);
  const { language } = useLanguage();
  const antennas = useAntennas();
  const scale = text.scale(dbm(SPAN.from, language), dbm(SPAN.to, language));
  return (
    <Section id="antennas" title={text.antennas} hint={`${text.antennasHint} ${scale}`}>
      <Loaded query={antennas}>{(list) => <Readers antennas={list} />}</Loaded>
    </Section>
  );
}

function Readers({ antennas }: { readonly antennas: readonly AntennaReads[] }) {
  const text = useText(radioText);
  const byReader = new Map<string, AntennaReads[]>();
  for (const antenna of antennas) {
    const ports = byReader.get(antenna.readerId);
    if (ports) ports.push(antenna);
    else byReader.set(antenna.readerId, [antenna]);
  }
  if (byReader.size === 0)
    return (
      <Empty icon={IconAntennaOff} title={text.noAntennas}>
        <Text size="sm">{text.noAntennasHow}</Text>
      </Empty>
    );
  return (
    <Stack gap="lg">
      {[...byReader].map(([readerId, ports]) => (
        <OneReader key={readerId} readerId={readerId} ports={ports} />
      ))}
    </Stack>
  );
}

interface ReaderProps {
  readonly readerId: string;
  readonly ports: readonly AntennaReads[];
}

function OneReader({ readerId, ports }: ReaderProps) {
  const text = useText(radioText);
  const reader = useReaders().data?.find(({ id }) => id === readerId);
  const crossReads = useCrossReads().data;
  const rated = ports.map((antenna) => ({
    antenna,
    advice: adviceOf(antenna, { reader, ports, crossReads }),
  }));
  const used = rated.filter(({ advice }) => advice.kind !== 'unused');
  const unused = rated.filter(({ advice }) => advice.kind === 'unused');
  const name = ports[0]?.readerName ?? readerId;
  return (
    <div>
      <Title order={3} size="h5" className="anything">
        <Anchor component={Link} href={`/readers/${encodeURIComponent(readerId)}`} inherit>
          {name}
        </Anchor>
      </Title>
      {used.length > 0 && <Ports name={name} rated={used} />}
      {unused.length > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {text.unusedPorts(unused.map(({ antenna }) => antenna.port).join(', '))}
        </Text>
      )}
    </div>
  );
}

interface PortsProps {
  readonly name: string;
  readonly rated: readonly { readonly antenna: AntennaReads; readonly advice: Advice }[];
}

function Ports({ name, rated }: PortsProps) {
  const text = useText(radioText);
  return (
    <Table.ScrollContainer
      minWidth={0}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': name } }}
    >
      <Table aria-label={name} verticalSpacing="xs" className={classes.ports}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.port}</Table.Th>
            <Table.Th>{text.zone}</Table.Th>
            <Table.Th ta="right">{text.readsPerSecond}</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              {text.tags}
            </Table.Th>
            <Table.Th visibleFrom="sm">{text.signal}</Table.Th>
            <Table.Th visibleFrom="sm">{text.todo}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rated.map(({ antenna, advice }) => (
            <Port key={antenna.port} antenna={antenna} advice={advice} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Port({ antenna, advice }: PortsProps['rated'][number]) {
  const text = useText(radioText);
  const { language } = useLanguage();
  return (
    <Table.Tr>
      <Table.Th scope="row" className={`figures ${classes.port}`}>
        {antenna.port}
      </Table.Th>
      <Table.Td className={classes.zone}>
        <span className={`anything ${classes.name}`} title={antenna.zoneName ?? undefined}>
          {antenna.zoneName ?? text.noZone}
        </span>
        {/* On a phone the last two columns stand here. */}
        <Box hiddenFrom="sm" mt={4}>
          <Signal antenna={antenna} />
          <AdviceWords advice={advice} />
        </Box>
      </Table.Td>
      <Table.Td ta="right" className={`figures ${classes.amount}`}>
        {decimal(antenna.readsPerSecond, language, 1)}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right" className={`figures ${classes.amount}`}>
        {decimal(antenna.tags, language)}
      </Table.Td>
      <Table.Td w={240} visibleFrom="sm">
        <Signal antenna={antenna} />
      </Table.Td>
      <Table.Td className={classes.todo} visibleFrom="sm">
        <AdviceWords advice={advice} />
      </Table.Td>
    </Table.Tr>
  );
}

// One silent port among others is a fault; a whole reader without tags may be right.
const badges = { silent: 'red', 'all-silent': 'orange' } as const;

function AdviceWords({ advice }: { readonly advice: Advice }) {
  const text = useText(radioText);
  if (advice.kind === 'overhears')
    return (
      <Text size="sm" className="anything" lineClamp={8}>
        {text.overhears(advice.zoneName, advice.tags)}
      </Text>
    );
  const badge = advice.kind === 'silent' || advice.kind === 'all-silent' ? badges[advice.kind] : null;
  return (
    <Text size="sm" c={advice.kind === 'good' ? 'dimmed' : undefined} component="div">
      {badge && (
        <Badge variant="light" tt="none" mr={6} color={badge}>
          {text.strength.silent}
        </Badge>
      )}
      {text.advice[advice.kind]}
    </Text>
  );
}
