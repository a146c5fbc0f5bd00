import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useBatches } from '../../live/use-live.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { useWatchedReader } from '../readers/use-watched-reader.ts';
import { CheckList } from './check-list.tsx';
import { checks, type FirstReads, passed, withEvents } from './checklist.ts';
import { NoReader, WhichReader } from './ports-step.tsx';
import type { StepProps } from './step-props.ts';

/** What must be true before the reader is in service; it turns green by itself. */
export function CheckStep({ reader }: StepProps) {
  if (!reader) return <NoReader />;
  return <LiveChecks key={reader.id} reader={reader} />;
}

function LiveChecks({ reader }: { readonly reader: Reader }) {
  const text = useText(setupText);
  const [reads, setReads] = useState<FirstReads>({ read: null, inZone: null });
  useWatchedReader();
  useBatches(({ events }) => setReads((known) => withEvents(known, events, reader.id)));
  const state = passed(reader, reads);
  const isGreen = checks.every((check) => state[check]);
  return (
    <Stack>
      <Text>{text.checkWhy}</Text>
      <WhichReader readerId={reader.id} step="check" />
      <CheckList reader={reader} state={state} reads={reads} />
      {isGreen && (
        <Alert color="green" variant="light" icon={<IconCircleCheck aria-hidden />} role="status">
          {text.allGreen}
        </Alert>
      )}
      <Group>
        <Button component={Link} href="/now" variant={isGreen ? 'filled' : 'default'}>
          {text.finish}
        </Button>
        <Button component={Link} href="/setup/reader" variant="default">
          {text.another}
        </Button>
        <Button component={Link} href={`/readers/${reader.id}`} variant="default">
          {text.details}
        </Button>
      </Group>
    </Stack>
  );
}
