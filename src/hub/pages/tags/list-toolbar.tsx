import { Button, Group, Menu, SegmentedControl, TextInput } from '@mantine/core';
import { IconColumns, IconPlus, IconSearch } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import { useCanWrite } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { dataFilters, type ListQuery, SEARCH_MAX } from './list-query.ts';

const PAUSE_MS = 250;

interface SearchProps {
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

function Search({ q, onSearch }: SearchProps) {
  const text = useText(tagsText);
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  // The address may change by itself: back, or a link to here.
  if (known !== q) {
    setKnown(q);
    if (typed.trim() !== q.trim()) setTyped(q);
  }
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    if (typed === q) return;
    const timer = setTimeout(() => search(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q]);
  return (
    <TextInput
      type="search"
      aria-label={text.search}
      placeholder={text.search}
      maxLength={SEARCH_MAX}
      leftSection={<IconSearch size={16} aria-hidden />}
      style={{ flex: '1 1 220px', maxWidth: 420 }}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

interface ColumnsProps {
  readonly fields: readonly Field[];
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (id: string) => void;
  readonly onShow: (id: string) => void;
  readonly onAdd: () => void;
}

function ColumnsMenu({ fields, hidden, onHide, onShow, onAdd }: ColumnsProps) {
  const text = useText(tagsText);
  const canWrite = useCanWrite();
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconColumns size={16} aria-hidden />}>
          {text.columns}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60dvh" style={{ overflow: 'auto' }}>
        <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} disabled={!canWrite} onClick={onAdd}>
          {text.addField}
        </Menu.Item>
        {fields.length > 0 && <Menu.Label>{text.showColumns}</Menu.Label>}
        {fields.map(({ id, label }) => (
          <Menu.CheckboxItem
            key={id}
            checked={!hidden.has(id)}
            closeMenuOnClick={false}
            onChange={() => (hidden.has(id) ? onShow(id) : onHide(id))}
          >
            <span className="anything">{label}</span>
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface Props extends ColumnsProps {
  readonly query: ListQuery;
  readonly onQuery: (query: ListQuery) => void;
}

/** What is listed, and in which columns. */
export function ListToolbar({ query, onQuery, ...columns }: Props) {
  const text = useText(tagsText);
  const names = { all: text.all, with: text.withData, without: text.withoutData };
  const choices = dataFilters.map((value) => ({ value, label: names[value] }));
  return (
    <Group gap="sm">
      <Search q={query.q} onSearch={(q) => onQuery({ ...query, q })} />
      <SegmentedControl
        aria-label={text.filter}
        data={choices}
        value={query.data}
        onChange={(data) => onQuery({ ...query, data })}
      />
      <ColumnsMenu {...columns} />
    </Group>
  );
}
