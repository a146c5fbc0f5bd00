import { Alert, Loader, Paper, Stack, Table, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDatabaseExport } from '@tabler/icons-react';
import type { BackupsAnswer } from '../../../contract/system.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { systemText } from '../../text/admin-system.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { number } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WideTable } from '../../ui/wide-table.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { bytes } from './amounts.ts';
import { Facts } from './facts.tsx';
import { Section } from './section.tsx';
import { useBackups } from './use-system.ts';

/** The scheduled backups, and one now. */
export function Backups() {
  const text = useText(systemText);
  const admin = useText(adminText);
  const backups = useBackups();
  const begin = useAction({
    run: () => call('POST', '/system/backups'),
    changes: [['system', 'backups']],
    done: text.backupBegun,
  });
  const isRunning = backups.data?.running === true;
  return (
    <Section
      title={admin.part.backups}
      about={text.backupsAbout}
      actions={
        backups.data?.schedule && (
          <WriteButton
            leftSection={<IconDatabaseExport size={16} aria-hidden />}
            loading={begin.isPending}
            disabled={isRunning}
            onClick={() => begin.mutate()}
          >
            {text.backupNow}
          </WriteButton>
        )
      }
    >
      <Loaded query={backups}>{(answer) => <Standing answer={answer} />}</Loaded>
    </Section>
  );
}

interface Props {
  readonly answer: BackupsAnswer;
}

function Standing({ answer }: Props) {
  const text = useText(systemText);
  if (!answer.schedule)
    return (
      <Empty icon={IconDatabaseExport} title={text.noSchedule}>
        <Text size="sm" c="dimmed" maw={520}>
          {text.noScheduleHow}
        </Text>
      </Empty>
    );
  return (
    <Stack>
      <div aria-live="polite">
        <Last answer={answer} />
      </div>
      <Schedule schedule={answer.schedule} />
      {answer.problem && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.folderProblem}>
          <CutText size="sm">{answer.problem}</CutText>
        </Alert>
      )}
      <Files answer={answer} />
    </Stack>
  );
}

function Last({ answer: { running, last } }: Props) {
  const text = useText(systemText);
  if (running)
    return <Alert color="gray" icon={<Loader size={18} aria-hidden />} title={text.backupRunning} />;
  if (!last) return <Text>{text.neverMade}</Text>;
  return (
    <Alert
      color={last.ok ? 'green' : 'red'}
      icon={last.ok ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={last.ok ? text.lastGood : text.lastBad}
    >
      <When at={last.at} />
      {last.error && <CutText size="sm">{last.error}</CutText>}
    </Alert>
  );
}

function Schedule({ schedule }: { readonly schedule: NonNullable<BackupsAnswer['schedule']> }) {
  const text = useText(systemText);
  const { language } = useLanguage();
  const { at, everyHours, folder, keep, encrypted } = schedule;
  return (
    <Paper withBorder p="lg">
      <Facts
        facts={[
          {
            name: text.schedule,
            value: everyHours === 24 ? text.daily(at) : text.everyHours(everyHours, at),
            hint: encrypted ? text.encrypted : text.notEncrypted,
          },
          { name: text.folder, value: folder },
          { name: text.keeps, value: text.keepLast(number(keep, language)) },
        ]}
      />
    </Paper>
  );
}

function Files({ answer: { files } }: Props) {
  const text = useText(systemText);
  const { language } = useLanguage();
  return (
    <Section title={text.files} order={3}>
      {files.length === 0 ? (
        <Text size="sm">{text.noFiles}</Text>
      ) : (
        <WideTable label={text.files} heads={[text.made, text.size, text.file]}>
          {files.map(({ name, bytes: size, at }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <When at={at} />
              </Table.Td>
              <Table.Td className="figures">{bytes(size, language)}</Table.Td>
              <Table.Td>
                <span className="code">{name}</span>
              </Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
    </Section>
  );
}
