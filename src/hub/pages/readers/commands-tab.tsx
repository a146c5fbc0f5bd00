import { Table, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { SentCommand } from '../../../contract/command.ts';
import type { Reader } from '../../../contract/reader.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { decimal } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { Failure } from './command-progress.tsx';
import { useCommands } from './queries.ts';

/** What was sent to the reader, and what became of it; newest first. */
export function CommandsTab({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  return (
    <Loaded query={useCommands(reader.id)}>
      {(commands) =>
        commands.length === 0 ? (
          <Empty icon={IconSend} title={text.commandsEmpty} />
        ) : (
          <WideTable
            label={text.tabs.commands}
            heads={[text.command, text.sent, text.outcome]}
            minWidth={480}
          >
            {commands.map((command) => (
              <CommandRow key={command.id} command={command} />
            ))}
          </WideTable>
        )
      }
    </Loaded>
  );
}

const SECOND_MS = 1000;

function CommandRow({ command }: { readonly command: SentCommand }) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const { kind, state, createdAt, settledAt, error } = command;
  const took = settledAt ? (Date.parse(settledAt) - Date.parse(createdAt)) / SECOND_MS : null;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>{text.kinds[kind]}</Table.Td>
      <Table.Td>
        <When at={createdAt} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="figures">
          {text.states[state]}
          {took !== null && ` ${text.took(decimal(took, language, 1))}`}
        </Text>
        {state === 'failed' && error !== undefined && <Failure error={error} />}
      </Table.Td>
    </Table.Tr>
  );
}
