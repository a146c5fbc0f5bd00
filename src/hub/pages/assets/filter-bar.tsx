import { Badge, Button, Group, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { COUNT_MAX, useViewCount } from './asset-queries.ts';
import { searchOf, type View, views } from './filter.ts';
import { useFilter } from './use-filter.ts';

const TYPING_MS = 250;

/** How many there are, where that is news. */
function Count({ view, color }: { readonly view: View; readonly color: string }) {
  const count = useViewCount(view).data ?? 0;
  if (count === 0) return null;
  return (
    <Badge size="sm" variant="light" color={color} className="figures">
      {count > COUNT_MAX ? `${COUNT_MAX}+` : count}
    </Badge>
  );
}

function ViewLink({ view }: { readonly view: View }) {
  const text = useText(assetsText);
  const { filter } = useFilter();
  const isHere = filter.view === view;
  return (
    <Button
      component={Link}
      href={`/assets${searchOf({ ...filter, view })}`}
      size="xs"
      variant={isHere ? 'light' : 'subtle'}
      color={isHere ? 'petrol' : 'gray'}
      aria-current={isHere ? 'page' : undefined}
      rightSection={
        view === 'overdue' ? (
          <Count view={view} color="orange" />
        ) : view === 'missing' ? (
          <Count view={view} color="red" />
        ) : undefined
      }
    >
      {text.views[view]}
    </Button>
  );
}

/** The search of the list; the address follows what is typed. */
function Search() {
  const text = useText(assetsText);
  const { filter, set } = useFilter();
  const [typed, setTyped] = useState(filter.q);
  const sent = useRef(filter.q);
  const send = useDebouncedCallback((q: string) => {
    sent.current = q.trim();
    set({ ...filter, q });
  }, TYPING_MS);
  useEffect(() => {
    // Somebody went to another address: what it says is what is looked for.
    if (filter.q === sent.current) return;
    sent.current = filter.q;
    setTyped(filter.q);
  }, [filter.q]);
  return (
    <TextInput
      type="search"
      aria-label={text.search}
      placeholder={text.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      maw={420}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        send(value);
      }}
    />
  );
}

/** Which assets are shown. */
export function FilterBar() {
  const text = useText(assetsText);
  return (
    <Stack gap="sm">
      <Group component="nav" gap={4} aria-label={text.viewsLabel}>
        {views.map((view) => (
          <ViewLink key={view} view={view} />
        ))}
      </Group>
      <Search />
    </Stack>
  );
}
