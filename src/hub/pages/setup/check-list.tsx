import { Anchor, Group, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { decimal } from '../../time/numbers.ts';
import { CommandProgress } from '../readers/command-progress.tsx';
import { StartStop } from '../readers/start-stop.tsx';
import { type Check, checks, type FirstReads } from './checklist.ts';

interface Props {
  readonly reader: Reader;
  readonly state: Readonly<Record<Check, boolean>>;
  readonly reads: FirstReads;
}

/** Each check with a sign and a word, and what to do while it waits. */
export function CheckList({ reader, state, reads }: Props) {
  const text = useText(setupText);
  const found: Partial<Record<Check, ReactNode>> = {
    radio: <Radio reader={reader} isOn={state.radio} />,
    read: <FirstRead reads={reads} />,
    zone: <FirstInZone reader={reader} reads={reads} />,
  };
  return (
    <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
      {checks.map((check) => (
        <Group key={check} component="li" wrap="nowrap" align="flex-start" gap="sm">
          <Sign isDone={state[check]} />
          <div style={{ minWidth: 0 }}>
            <Text fw={600}>{text.checks[check]}</Text>
            {!state[check] && (
              <Text size="sm" c="dimmed">
                {text.hints[check]}
              </Text>
            )}
            <Text size="sm" component="div">
              {found[check]}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}

function Sign({ isDone }: { readonly isDone: boolean }) {
  const text = useText(setupText);
  const Icon = isDone ? IconCheck : IconClock;
  return (
    <ThemeIcon variant="light" color={isDone ? 'green' : 'gray'} radius="xl">
      <Icon size={16} aria-hidden />
      <VisuallyHidden>{isDone ? text.done : text.waits}</VisuallyHidden>
    </ThemeIcon>
  );
}

function Radio({ reader, isOn }: { readonly reader: Reader; readonly isOn: boolean }) {
  if (isOn || reader.brokerStatus !== 'connected') return null;
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      {reader.lastCommand && <CommandProgress command={reader.lastCommand} />}
      <StartStop reader={reader} />
    </Stack>
  );
}

function FirstInZone({ reader, reads: { read, inZone } }: Pick<Props, 'reader' | 'reads'>) {
  const text = useText(setupText);
  if (inZone) return <span className="anything">{inZone.zoneName}</span>;
  return (
    read && (
      <Anchor component={Link} size="sm" href={`/setup/ports/${reader.id}`}>
        {text.steps.ports}
      </Anchor>
    )
  );
}

const CDBM = 100;

function FirstRead({ reads: { read } }: Pick<Props, 'reads'>) {
  const { language } = useLanguage();
  if (!read) return null;
  return (
    <>
      <span className="code">{read.epc}</span>
      {read.rssiCdbm !== undefined && ` · ${decimal(read.rssiCdbm / CDBM, language, 1)} dBm`}
    </>
  );
}
