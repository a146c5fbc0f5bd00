import { Alert, Paper, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { SystemHealth } from '../../../contract/system.ts';
import { adminText } from '../../text/admin.ts';
import { systemText } from '../../text/admin-system.ts';
import { type Language, useLanguage, useText } from '../../text/language.ts';
import { number } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { bytes } from './amounts.ts';
import { Doctor } from './doctor.tsx';
import { type Fact, Facts } from './facts.tsx';
import { Section } from './section.tsx';
import { useHealth } from './use-system.ts';

/** How the appliance fares, and what the doctor found. */
export function Health() {
  const text = useText(systemText);
  const admin = useText(adminText);
  const health = useHealth();
  return (
    <Section title={admin.part.health} about={text.healthAbout}>
      <Loaded query={health}>{(answer) => <Figures health={answer} />}</Loaded>
      <Doctor />
    </Section>
  );
}

function Figures({ health }: { readonly health: SystemHealth }) {
  const text = useText(systemText);
  const { language } = useLanguage();
  const { ok, reasons } = health.ready;
  return (
    <Stack>
      <Alert
        color={ok ? 'green' : 'red'}
        icon={ok ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
        title={ok ? text.ready : text.notReady}
      >
        {reasons.length > 0 && <span className="anything">{reasons.join(' ')}</span>}
      </Alert>
      <Paper withBorder p="lg">
        <Facts facts={[...workOf(text, health, language), ...machineOf(text, health, language)]} />
      </Paper>
    </Stack>
  );
}

type Words = (typeof systemText)['en'];

function workOf(text: Words, { ingest, ...health }: SystemHealth, language: Language): readonly Fact[] {
  const shown = (value: number) => number(value, language, { maximumFractionDigits: 1 });
  return [
    { name: text.reads, value: shown(ingest.readsPerSecond), hint: text.readsHint },
    { name: text.waiting, value: shown(ingest.waiting) },
    { name: text.refused, value: shown(ingest.refused), hint: text.refusedHint },
    { name: text.dropped, value: shown(ingest.dropped), hint: text.droppedHint },
    { name: text.brokers, value: shown(health.brokerConnections), hint: text.brokersHint },
    { name: text.streams, value: shown(health.streams) },
    { name: text.lag, value: `${shown(health.eventLoopLagMs.p99)} ms`, hint: text.lagHint },
  ];
}

function machineOf(text: Words, health: SystemHealth, language: Language): readonly Fact[] {
  const { disk, store, memory } = health;
  const amount = (count: number | null) => (count === null ? text.unknown : bytes(count, language));
  return [
    {
      name: text.store,
      value: amount(store.bytes),
      hint: text.tags(number(store.tags, language)),
    },
    {
      name: text.disk,
      value: amount(disk?.freeBytes ?? null),
      hint: disk ? text.diskOf(bytes(disk.totalBytes, language)) : undefined,
    },
    { name: text.memory, value: bytes(memory.rssBytes, language) },
    { name: text.uptime, value: <When at={health.startedAt} /> },
    { name: text.version, value: health.version, hint: `Node ${health.node}` },
    { name: text.host, value: health.hostname },
  ];
}
