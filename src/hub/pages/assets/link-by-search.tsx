import { Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tag } from '../../../contract/tag.ts';
import { call } from '../../api/call.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { isEpc } from './epc.ts';
import { type Candidate, TagChoice } from './tag-choice.tsx';

const FOUND_MAX = 20;
const TYPING_MS = 250;

interface Props {
  readonly epc: string | null;
  readonly choose: (epc: string | null) => void;
}

const useFound = (q: string) =>
  useQuery({
    queryKey: ['tags', 'to link', q],
    queryFn: ({ signal }) =>
      call<Tag[]>('GET', `/tags?${new URLSearchParams({ limit: String(FOUND_MAX), q })}`, { signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

/** The tags found; an EPC that was never read can be linked ahead. */
function candidatesOf(tags: readonly Tag[], q: string, unread: string): readonly Candidate[] {
  const found = tags.map(({ epc, label, targetType, zoneName }) => ({
    ...{ epc, label, hasAsset: targetType !== null },
    ...(zoneName && {
      detail: (
        <Text component="span" size="xs" c="dimmed" className="anything">
          {zoneName}
        </Text>
      ),
    }),
  }));
  const typed = q.toUpperCase();
  if (!isEpc(q) || tags.some(({ epc }) => epc === typed)) return found;
  return [{ epc: typed, label: unread, hasAsset: false }, ...found];
}

/** Finds a tag by its EPC or by what is known of it. */
export function LinkBySearch({ epc, choose }: Props) {
  const text = useText(assetActionsText);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const found = useFound(q);
  return (
    <Stack>
      <TextInput
        data-autofocus
        type="search"
        label={text.searchEpc}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          choose(null);
        }}
      />
      {q !== '' && (
        <Loaded query={found} loading={<Loading lines={2} />}>
          {(tags) => {
            const candidates = candidatesOf(tags, q, text.unread);
            return candidates.length === 0 ? (
              <Text size="sm">{text.noneFound}</Text>
            ) : (
              <TagChoice name={text.found} tags={candidates} epc={epc} choose={choose} />
            );
          }}
        </Loaded>
      )}
    </Stack>
  );
}
