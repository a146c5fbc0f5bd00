import { ActionIcon, Button, Group, NativeSelect, Stack } from '@mantine/core';
import { IconHistory, IconRefresh } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { adminText } from '../../text/admin.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { Empty } from '../../ui/empty.tsx';
import { Failed } from '../../ui/failed.tsx';
import { Loading } from '../../ui/loading.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { AuditRow } from './audit-row.tsx';
import { Section } from './section.tsx';
import { auditNouns, useAudit } from './use-audit.ts';

/** Who did what; what it is narrowed to is in the address. */
export function AuditLog() {
  const text = useText(adminText);
  const common = useText(commonText);
  const [search, setSearch] = useSearchParams();
  const resource = search.get('resource') ?? '';
  const query = useAudit(resource);
  const narrow = (wanted: string) => setSearch(wanted ? { resource: wanted } : {});
  return (
    <Section
      title={text.part.audit}
      about={text.auditAbout}
      actions={
        <ActionIcon
          size="lg"
          variant="default"
          aria-label={common.reload}
          loading={query.isRefetching && !query.isFetchingNextPage}
          onClick={() => void query.refetch()}
        >
          <IconRefresh size={18} aria-hidden />
        </ActionIcon>
      }
    >
      <Narrow resource={resource} onChange={narrow} />
      <Entries query={query} onNarrow={narrow} />
    </Section>
  );
}

function Narrow(props: { readonly resource: string; readonly onChange: (resource: string) => void }) {
  const text = useText(adminText);
  const { resource, onChange } = props;
  const isNoun = auditNouns.some((noun) => noun === resource);
  const choices = [
    { value: '', label: text.everything },
    ...auditNouns.map((noun) => ({ value: noun, label: noun })),
    // One resource, come to by a link.
    ...(resource && !isNoun ? [{ value: resource, label: resource.slice(0, 80) }] : []),
  ];
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label={text.about}
        data={choices}
        value={resource}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {resource && (
        <Button variant="default" onClick={() => onChange('')}>
          {text.showEverything}
        </Button>
      )}
    </Group>
  );
}

interface EntriesProps {
  readonly query: ReturnType<typeof useAudit>;
  readonly onNarrow: (resource: string) => void;
}

function Entries({ query, onNarrow }: EntriesProps) {
  const text = useText(adminText);
  if (query.isPending) return <Loading lines={8} />;
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  // Entries have no id; those of one place in one piece do not move.
  const entries = query.data.pages.flatMap(({ items }, page) =>
    items.map((entry, place) => ({ entry, key: `${page}-${place}-${entry.at}` })),
  );
  const heads = [text.when, text.who, text.what, text.about, text.changed];
  return (
    <Stack gap="sm">
      {entries.length > 0 ? (
        <WideTable label={text.part.audit} heads={heads} minWidth={900}>
          {entries.map(({ entry, key }) => (
            <AuditRow key={key} entry={entry} onNarrow={onNarrow} />
          ))}
        </WideTable>
      ) : (
        <Empty icon={IconHistory} title={query.hasNextPage ? text.lookFurther : text.noAudit} />
      )}
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {text.older}
        </Button>
      )}
    </Stack>
  );
}
