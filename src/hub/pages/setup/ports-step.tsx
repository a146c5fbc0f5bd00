import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useReaders } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { AntennasTab } from '../readers/antennas-tab.tsx';
import type { StepProps } from './step-props.ts';
import type { Step } from './steps.ts';

/** Which zone each port of the reader watches. */
export function PortsStep({ reader, isDone, next }: StepProps) {
  const text = useText(setupText);
  if (!reader) return <NoReader />;
  return (
    <Stack>
      <Text>{text.portsWhy}</Text>
      <WhichReader readerId={reader.id} step="ports" />
      <AntennasTab key={reader.id} reader={reader} onSaved={() => next(reader.id)} />
      <Group>
        <Button variant="default" onClick={() => next(reader.id)}>
          {isDone ? text.next : text.skip}
        </Button>
      </Group>
    </Stack>
  );
}

/** In place of a step that needs a reader. */
export function NoReader() {
  const text = useText(setupText);
  return (
    <Text>
      {text.noReaderYet}{' '}
      <Anchor component={Link} href="/setup/reader">
        {text.toReader}
      </Anchor>
    </Text>
  );
}

/** Another reader for the same step, where there are several. */
export function WhichReader({ readerId, step }: { readonly readerId: string; readonly step: Step }) {
  const text = useText(setupText);
  const [, navigate] = useLocation();
  const readers = useReaders().data ?? [];
  return (
    <Select
      label={text.whichReader}
      allowDeselect={false}
      searchable
      maw={420}
      data={readers.map(({ id, name, serial }) => ({
        value: id,
        label: name === serial ? name : `${name} (${serial})`,
      }))}
      value={readerId}
      onChange={(id) => id && navigate(`/setup/${step}/${id}`)}
    />
  );
}
