import { ActionIcon, Kbd, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { commonText } from '../../text/common.ts';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';

interface Props {
  readonly typed: string;
  readonly onType: (text: string) => void;
  /** Enter: search at once, or open what is chosen. */
  readonly onEnter: () => void;
  /** An arrow: one down (1) or up (-1) in the list. */
  readonly onStep: (by: 1 | -1) => void;
  /** The element of the list and of the chosen option; undefined while there are none. */
  readonly listId: string | undefined;
  readonly activeId: string | undefined;
}

/** The big search field, from which the list is gone through. */
export function FindField({ typed, onType, onEnter, onStep, listId, activeId }: Props) {
  const text = useText(findText);
  const common = useText(commonText);
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([['/', () => field.current?.select()]]);
  useEffect(() => field.current?.focus(), []);
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      onEnter();
      // The next scan takes the place of this one.
      field.current?.select();
    } else if (event.key === 'ArrowDown') onStep(1);
    else if (event.key === 'ArrowUp') onStep(-1);
    else if (event.key === 'Escape') onType('');
    // Whoever presses it to get here is here already.
    else if (event.key !== '/' || typed !== '') return;
    event.preventDefault();
  };
  const clear = (
    <ActionIcon variant="subtle" color="gray" aria-label={common.remove} onClick={() => onType('')}>
      <IconX size={18} aria-hidden />
    </ActionIcon>
  );
  return (
    <search>
      <TextInput
        ref={field}
        size="xl"
        role="combobox"
        aria-label={text.searchName}
        aria-expanded={listId !== undefined}
        aria-controls={listId}
        aria-activedescendant={activeId}
        aria-autocomplete="list"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="search"
        placeholder={text.search}
        leftSection={<IconSearch aria-hidden />}
        rightSection={typed === '' ? <Kbd aria-hidden>/</Kbd> : clear}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={press}
      />
    </search>
  );
}
