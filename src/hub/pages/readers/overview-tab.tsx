import { Alert, Paper, Stack, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Reader } from '../../../contract/reader.ts';
import type { ReaderDiagnostics } from '../../../contract/reader-diagnostics.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { useNow } from '../../time/now.ts';
import { When } from '../../time/when.tsx';
import { CommandProgress, isNews } from './command-progress.tsx';
import { FactList } from './fact-list.tsx';
import { ProblemNotes } from './problem-notes.tsx';
import { useDiagnostics } from './queries.ts';
import { problemsOf } from './reader-problems.ts';
import { ReleaseReader } from './release-reader.tsx';
import { RenameReader } from './rename-reader.tsx';

/** What the reader does now, what is wrong with it, and what it is. */
export function OverviewTab({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const now = useNow();
  const diagnostics = useDiagnostics(reader.id).data;
  const problems = problemsOf({ reader, diagnostics, now });
  return (
    <Stack gap="lg">
      {problems.length > 0 ? (
        <ProblemNotes problems={problems} />
      ) : (
        <Alert color="green" variant="light" icon={<IconCircleCheck aria-hidden />}>
          {text.allWell}
        </Alert>
      )}
      {isNews(reader.lastCommand) && <CommandProgress command={reader.lastCommand} />}
      {isNews(reader.lastSettings) && (
        <CommandProgress command={{ ...reader.lastSettings, kind: 'push-config' }} />
      )}
      <Paper withBorder p="md">
        <Stack>
          <Title order={2} size="h4">
            {text.facts}
          </Title>
          <Facts reader={reader} diagnostics={diagnostics} />
          <RenameReader key={reader.id} reader={reader} />
        </Stack>
      </Paper>
      <ReleaseReader reader={reader} />
    </Stack>
  );
}

interface FactsProps {
  readonly reader: Reader;
  readonly diagnostics: ReaderDiagnostics | undefined;
}

function Facts({ reader, diagnostics }: FactsProps) {
  const text = useText(readersText);
  const common = useText(commonText);
  const time = (at: string | undefined): ReactNode => (at ? <When at={at} /> : common.never);
  return (
    <FactList
      facts={[
        [text.serial, reader.serial],
        [text.model, reader.model],
        [text.firmware, reader.firmware],
        [text.agent, reader.commandsSupported ? text.agentThere : text.agentMissing],
        [text.lastRead, time(reader.lastEventAt)],
        [text.lastSeen, time(reader.lastSeenAt)],
        [text.connections, <Connections key="connections" diagnostics={diagnostics} />],
      ]}
    />
  );
}

function Connections({ diagnostics }: Pick<FactsProps, 'diagnostics'>) {
  const text = useText(readersText);
  if (!diagnostics) return '–';
  if (diagnostics.connections.length === 0) return text.noConnections;
  return diagnostics.connections.map(({ clientId, address, connectedAt }) => (
    <span key={clientId} style={{ display: 'block' }}>
      {clientId} ({address}), {text.connectedSince} <When at={connectedAt} />
    </span>
  ));
}
