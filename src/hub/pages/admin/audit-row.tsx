import { ActionIcon, Anchor, Group, Stack, Table, Text, Tooltip } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { AuditEntryView } from '../../../contract/audit.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { short } from '../../time/format.ts';
import { usePlace, When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { pageOfResource } from './audit-link.ts';
import { Changes } from './changes.tsx';

interface Props {
  readonly entry: AuditEntryView;
  readonly onNarrow: (resource: string) => void;
}

/** Who did what, when, from where, to what, and what that changed. */
export const AuditRow = memo(function AuditRow({ entry, onNarrow }: Props) {
  const place = usePlace();
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>
        <Text size="sm" className="figures" style={{ whiteSpace: 'nowrap' }}>
          {short(Date.parse(entry.at), place)}
        </Text>
        <Text size="xs" c="dimmed">
          <When at={entry.at} />
        </Text>
      </Table.Td>
      <Table.Td miw={170} maw={240}>
        <Who entry={entry} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{entry.action}</Table.Td>
      <Table.Td miw={190} maw={240}>
        <Resource resource={entry.resource} onNarrow={onNarrow} />
      </Table.Td>
      <Table.Td maw={420}>
        <Changes before={entry.before} after={entry.after} />
      </Table.Td>
    </Table.Tr>
  );
});

function Who({ entry: { actor, address } }: Pick<Props, 'entry'>) {
  const text = useText(adminText);
  const { kind, id, name = id } = actor;
  const shown = kind === 'cli' || kind === 'system' ? text[kind] : name;
  return (
    <Stack gap={0}>
      <CutText size="sm" max={120}>
        {shown}
      </CutText>
      {address && (
        <Text size="xs" c="dimmed" className="anything">
          {address}
        </Text>
      )}
    </Stack>
  );
}

function Resource({ resource, onNarrow }: { readonly resource: string } & Pick<Props, 'onNarrow'>) {
  const text = useText(adminText);
  const page = pageOfResource(resource);
  return (
    <Group gap={4} wrap="nowrap" align="start">
      {page ? (
        <Anchor component={Link} href={page} size="sm" className="anything">
          {resource}
        </Anchor>
      ) : (
        <CutText size="sm" max={120}>
          {resource}
        </CutText>
      )}
      <Tooltip label={text.history} events={{ hover: true, focus: true, touch: true }}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={text.historyOf(resource)}
          onClick={() => onNarrow(resource)}
        >
          <IconFilter size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
