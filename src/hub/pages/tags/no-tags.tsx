import { Button, Text } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { Empty } from '../../ui/empty.tsx';
import type { ListQuery } from './list-query.ts';

interface Props {
  readonly query: ListQuery;
  readonly onAll: () => void;
}

/** In place of the table: there are no tags, or none that fits. */
export function NoTags({ query, onAll }: Props) {
  const text = useText(tagsText);
  const isNarrowed = query.q.trim() !== '' || query.data !== 'all';
  return (
    <Empty icon={IconTable} title={isNarrowed ? text.noneFound : text.none}>
      <Text size="sm" maw={480}>
        {isNarrowed ? text.noneFoundWhy : text.noneWhy}
      </Text>
      {isNarrowed ? (
        <Button variant="default" onClick={onAll}>
          {text.showAll}
        </Button>
      ) : (
        <Button component={Link} href="/tags/import">
          {text.import}
        </Button>
      )}
    </Empty>
  );
}
