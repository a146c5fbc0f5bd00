import { Kbd, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';

/** The search of the whole hub: `/` puts the cursor here from anywhere. */
export function FindBox() {
  const text = useText(shellText);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [location, go] = useLocation();
  useHotkeys([['/', () => field.current?.focus()]]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(`/find?q=${encodeURIComponent(typed.trim())}`);
  };
  // The page itself has the field, larger.
  if (location === '/find') return null;
  return (
    <search style={{ flex: 1, maxWidth: 420, minWidth: 0 }}>
      <form onSubmit={submit}>
        <TextInput
          ref={field}
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={<Kbd aria-hidden>/</Kbd>}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
