import { Badge, Group, Paper, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConfigurationEntry } from '../../../contract/system.ts';
import { systemText } from '../../text/admin-system.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { type ConfigurationFilter, filterConfiguration, retentionOf } from './configuration-filter.ts';
import { Facts } from './facts.tsx';
import { Section } from './section.tsx';
import { useConfiguration } from './use-system.ts';

/** The configuration as it is in force, and where it is changed. */
export function Configuration() {
  const text = useText(systemText);
  const configuration = useConfiguration();
  return (
    <Loaded query={configuration}>
      {(entries) => (
        <>
          <Section title={text.retention} order={3}>
            <Paper withBorder p="lg">
              <Facts
                facts={retentionOf(entries).map(({ key, value, help }) => ({
                  name: key,
                  value: text.days(value),
                  hint: help,
                }))}
              />
            </Paper>
          </Section>
          <All entries={entries} />
        </>
      )}
    </Loaded>
  );
}

function All({ entries }: { readonly entries: readonly ConfigurationEntry[] }) {
  const text = useText(systemText);
  const [filter, setFilter] = useState<ConfigurationFilter>({ words: '', changedOnly: false });
  const shown = filterConfiguration(entries, filter);
  return (
    <Section title={text.configuration} about={text.configurationAbout} order={3}>
      <Group gap="lg" align="end">
        <TextInput
          label={text.search}
          type="search"
          value={filter.words}
          onChange={(event) => setFilter({ ...filter, words: event.currentTarget.value })}
        />
        <Switch
          mb={6}
          label={text.changedOnly}
          checked={filter.changedOnly}
          onChange={(event) => setFilter({ ...filter, changedOnly: event.currentTarget.checked })}
        />
      </Group>
      {shown.length === 0 ? <Text size="sm">{text.nothingFound}</Text> : <Entries entries={shown} />}
    </Section>
  );
}

function Entries({ entries }: { readonly entries: readonly ConfigurationEntry[] }) {
  const text = useText(systemText);
  return (
    <WideTable label={text.configuration} heads={[text.key, text.value, text.standard]} minWidth={720}>
      {entries.map((entry) => (
        <EntryRow key={entry.key} entry={entry} />
      ))}
    </WideTable>
  );
}

function EntryRow({ entry }: { readonly entry: ConfigurationEntry }) {
  const text = useText(systemText);
  const common = useText(commonText);
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td maw={380}>
        <Stack gap={2}>
          <span className="code">{entry.key}</span>
          <Text size="xs" c="dimmed" lang="en">
            {entry.help}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td maw={280}>
        <Group gap="xs">
          <CutText size="sm" max={200}>
            {entry.value || common.none}
          </CutText>
          {!entry.isDefault && (
            <Badge variant="light" tt="none" size="sm">
              {text.changedBadge}
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td maw={220}>
        <CutText size="sm" c="dimmed" max={200}>
          {entry.default || common.none}
        </CutText>
      </Table.Td>
    </Table.Tr>
  );
}
