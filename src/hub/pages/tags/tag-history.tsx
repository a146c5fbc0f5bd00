import { Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import type { HistoryEntry } from '../../../contract/tag-data.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText, tagText } from '../../text/tags.ts';
import { short } from '../../time/format.ts';
import { usePlace, When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useTagHistory } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';

const STEP = 10;

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly label: string;
}

function Entry({ entry, label }: EntryProps) {
  const text = useText(tagText);
  const place = usePlace();
  return (
    <Stack component="li" gap={2} style={{ listStyle: 'none' }}>
      <Group gap="xs">
        <Text size="xs" c="dimmed" className="anything" lineClamp={2}>
          {label}
        </Text>
        {!entry.validTo && (
          <Badge size="sm" variant="light" tt="none">
            {text.current}
          </Badge>
        )}
      </Group>
      <Text size="sm" className="anything" dir="auto" lineClamp={4}>
        {String(entry.value)}
      </Text>
      <Text size="xs" c="dimmed" className="figures">
        {entry.validTo ? (
          text.stay(short(Date.parse(entry.validFrom), place), short(Date.parse(entry.validTo), place))
        ) : (
          <>
            {text.since} <When at={entry.validFrom} />
          </>
        )}
      </Text>
    </Stack>
  );
}

function Entries({
  entries,
  fields,
}: {
  readonly entries: readonly HistoryEntry[];
  readonly fields: readonly Field[];
}) {
  const text = useText(tagText);
  const tags = useText(tagsText);
  const common = useText(commonText);
  const [key, setKey] = useState('');
  const [shown, setShown] = useState(STEP);
  const labels = new Map(fields.map((field) => [field.key, field.label]));
  const keys = [...new Set(entries.map((entry) => entry.key))];
  const fitting = entries.filter((entry) => key === '' || entry.key === key);
  const choices = [
    { value: '', label: tags.all },
    ...keys.map((value) => ({ value, label: labels.get(value) ?? value })),
  ];
  return (
    <Stack gap="sm">
      {keys.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label={tags.columns}
          data={choices}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      )}
      {fitting.length === 0 && (
        <Text size="sm" c="dimmed">
          {text.noHistory}
        </Text>
      )}
      <Stack component="ul" gap="sm" m={0} p={0}>
        {fitting.slice(0, shown).map((entry) => (
          <Entry
            key={`${entry.key} ${entry.validFrom}`}
            entry={entry}
            label={labels.get(entry.key) ?? entry.key}
          />
        ))}
      </Stack>
      {fitting.length > shown && (
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => setShown(shown + STEP * 5)}>
            {common.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** What was said of the tag, of all columns or of one. */
export function TagHistory({ epc, fields }: { readonly epc: string; readonly fields: readonly Field[] }) {
  const text = useText(tagText);
  const history = useTagHistory(epc);
  return (
    <TagSection title={text.history}>
      <Loaded query={history}>{(data) => <Entries entries={data ?? []} fields={fields} />}</Loaded>
    </TagSection>
  );
}
