import { Badge, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { DoctorAnswer } from '../../../contract/system.ts';
import { systemText } from '../../text/admin-system.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { byUrgency } from './by-urgency.ts';
import { Section } from './section.tsx';
import { useDoctor } from './use-system.ts';

/** What the doctor found, the worst first; what is all right is folded away. */
export function Doctor() {
  const text = useText(systemText);
  const doctor = useDoctor();
  return (
    <Section
      title={text.doctor}
      about={text.doctorAbout}
      order={3}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={doctor.isFetching && !doctor.isPending}
          onClick={() => void doctor.refetch()}
        >
          {text.refresh}
        </Button>
      }
    >
      <Loaded query={doctor} loading={<Looking />}>
        {(answer) => <Findings answer={answer} />}
      </Loaded>
    </Section>
  );
}

function Looking() {
  const text = useText(systemText);
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{text.looking}</Text>
    </Group>
  );
}

function Findings({ answer: { at, findings } }: { readonly answer: DoctorAnswer }) {
  const text = useText(systemText);
  const { urgent, good } = byUrgency(findings);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {text.lookedAt} <When at={at} />
      </Text>
      {urgent.length === 0 && <Text>{text.allGood}</Text>}
      {urgent.map(({ finding, key }) => (
        <Finding key={key} finding={finding} />
      ))}
      {good.length > 0 && (
        <details>
          <summary>{text.goodOnes(good.length)}</summary>
          <Stack gap="xs" mt="sm">
            {good.map(({ finding, key }) => (
              <Finding key={key} finding={finding} />
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}

const colors = { fault: 'red', warning: 'orange', note: 'blue', ok: 'green' } as const;

function Finding({ finding }: { readonly finding: DoctorAnswer['findings'][number] }) {
  const text = useText(systemText);
  return (
    <Paper withBorder px="md" py="sm">
      <Stack gap={4}>
        <Group gap="xs">
          <Badge variant="light" tt="none" color={colors[finding.level]}>
            {text.levels[finding.level]}
          </Badge>
          <Text size="sm" fw={600} className="anything">
            {finding.check}
          </Text>
        </Group>
        <CutText size="sm">{finding.text}</CutText>
        {finding.advice && (
          <Text size="sm" className="anything" component="div">
            <Text span inherit fw={600}>
              {`${text.advice}: `}
            </Text>
            <span lang="en">{finding.advice}</span>
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
