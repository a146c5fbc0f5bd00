import { Alert, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Reader } from '../../../contract/reader.ts';
import type { ReaderDiagnostics } from '../../../contract/reader-diagnostics.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { decimal } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { FactList } from './fact-list.tsx';
import { useActivity, useDiagnostics } from './queries.ts';

// The chart library comes only when a chart is looked at.
const TimeChart = lazy(() => import('./time-chart.tsx').then((m) => ({ default: m.TimeChart })));

/** How the reader fares: figures now and over time, clock, certificate, what it sent that could not be read. */
export function HealthTab({ reader }: { readonly reader: Reader }) {
  return (
    <Stack gap="lg">
      <Figures reader={reader} />
      <Charts reader={reader} />
      <Loaded query={useDiagnostics(reader.id)}>
        {(diagnostics) => (
          <>
            <Clock diagnostics={diagnostics} />
            <Certificate diagnostics={diagnostics} />
            <BadPayloads diagnostics={diagnostics} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

const MILLI = 1000;

function Figures({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const { temperatureC, cpuPercent, memoryPercent, powerMilliwatts } = reader;
  const shown = (value: number | undefined, unit: string) =>
    value === undefined ? '–' : `${decimal(value, language)} ${unit}`;
  const watts = powerMilliwatts === undefined ? undefined : powerMilliwatts / MILLI;
  const all = [
    [text.temperature, shown(temperatureC, '°C')],
    [text.cpu, shown(cpuPercent, '%')],
    [text.memory, shown(memoryPercent, '%')],
    [text.powerDrawn, shown(watts, 'W')],
  ] as const;
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0}>
      {all.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} fz={22} fw={600} className="figures">
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function Charts({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  return (
    <Loaded query={useActivity(reader.id)} loading={<Loading lines={1} height={180} />}>
      {({ at, readsPerSecond, temperatureC }) =>
        readsPerSecond.every((value) => value === null) ? (
          <Text c="dimmed">{text.noActivity}</Text>
        ) : (
          <Suspense fallback={<Loading lines={1} height={180} />}>
            <TimeChart title={text.activity} at={at} values={readsPerSecond} />
            {temperatureC.some((value) => value !== null) && (
              <TimeChart title={text.heatChart} at={at} values={temperatureC} />
            )}
          </Suspense>
        )
      }
    </Loaded>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}

interface Known {
  readonly diagnostics: ReaderDiagnostics;
}

const GOOD_MS = 500;

function Clock({ diagnostics: { clockSkewMs, skewedReads } }: Known) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const words = (ms: number) => {
    if (Math.abs(ms) <= GOOD_MS) return text.clockGood;
    const seconds = decimal(Math.abs(ms) / MILLI, language, 1);
    return ms > 0 ? text.clockAhead(seconds) : text.clockBehind(seconds);
  };
  return (
    <Section title={text.clock}>
      <Text>{clockSkewMs === null ? text.clockUnknown : words(clockSkewMs)}</Text>
      {skewedReads > 0 && <Text>{text.skewed(decimal(skewedReads, language))}</Text>}
    </Section>
  );
}

function Certificate({ diagnostics: { certificate } }: Known) {
  const text = useText(readersText);
  if (!certificate) return <Section title={text.certificate}>{text.noCertificate}</Section>;
  return (
    <Section title={text.certificate}>
      <FactList
        facts={[
          [text.certificateEnds, <When key="ends" at={certificate.notAfter} />],
          [
            text.certificateNumber,
            <span key="number" className="code">
              {certificate.serialNumber}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

function BadPayloads({ diagnostics: { badPayloads, badPayloadCount, dropped } }: Known) {
  const text = useText(readersText);
  const { language } = useLanguage();
  return (
    <Section title={text.bad}>
      <Text>{badPayloadCount === 0 ? text.badNone : text.badCount(decimal(badPayloadCount, language))}</Text>
      {dropped.messages > 0 && <Text>{text.dropped(decimal(dropped.messages, language))}</Text>}
      {numbered(badPayloads).map(({ no, at, reason, sample }) => (
        <Alert key={no} color="gray" variant="light">
          <Text size="sm" className="anything" dir="auto">
            <When at={at} />: {reason}
          </Text>
          <Text
            size="sm"
            className="code anything"
            dir="auto"
            mah={160}
            style={{ overflowY: 'auto' }}
            tabIndex={0}
          >
            {sample}
          </Text>
        </Alert>
      ))}
    </Section>
  );
}

// Several may have come at the same moment with the same words; the oldest keeps its number while newer ones come before it.
const numbered = (all: ReaderDiagnostics['badPayloads']) =>
  all.map((bad, place) => ({ ...bad, no: all.length - place }));
