import { Button, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import type { TagList } from './tag-list.ts';

interface Props {
  readonly list: TagList;
  readonly news: { readonly fresh: number; readonly gap: boolean };
  readonly onReload: () => void;
}

/** How much of the list is there, and what came up since it was loaded. Rows never jump by themselves. */
export function ListState({ list, news, onReload }: Props) {
  const text = useText(tagsText);
  return (
    <>
      <Text size="sm" c="dimmed" className="figures" role="status">
        {list.count > 0 && text.count(list.count, list.isComplete)}
        {news.fresh > 0 && ` ${text.newTags(news.fresh)}`}
        {news.gap && ` ${text.gap}`}
      </Text>
      <Button
        size="compact-sm"
        variant={news.fresh > 0 || news.gap ? 'light' : 'subtle'}
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={onReload}
      >
        {text.reload}
      </Button>
    </>
  );
}
