import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMapSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { type Found, useFound } from './queries.ts';

interface Props {
  /** Empty: none. */
  readonly epc: string;
  readonly onChoose: (epc: string) => void;
}

const LABEL_MAX = 80;
const PAUSE_MS = 200;

const optionOf = ({ epc, label }: Found) => ({
  value: epc,
  label: label ? `${label.slice(0, LABEL_MAX)} · ${epc}` : epc,
});

/** Finds the tag that the plan shows. */
export function TagSearch({ epc, onChoose }: Props) {
  const text = useText(floorText);
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.split(' · ')[0]?.trim() ?? '', PAUSE_MS);
  const found = useFound(asked);
  const options = (found.data ?? []).map(optionOf);
  // What is chosen has to be among them to be shown.
  const isThere = epc === '' || options.some(({ value }) => value === epc);
  return (
    <Select
      aria-label={text.searchTag}
      placeholder={text.searchHint}
      leftSection={<IconMapSearch size={18} aria-hidden />}
      data={isThere ? options : [{ value: epc, label: epc }, ...options]}
      value={epc || null}
      onChange={(value) => onChoose(value ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': text.clear }}
      // The appliance has searched already.
      filter={({ options: all }) => all}
      onSearchChange={setTyped}
      nothingFoundMessage={found.isFetching ? text.searching : text.nothingFound}
      w={{ base: '100%', sm: 380 }}
    />
  );
}
