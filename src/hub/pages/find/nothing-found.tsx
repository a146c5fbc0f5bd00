import { List, Text } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { Empty } from '../../ui/empty.tsx';

const SHOWN = 80;

/** Says what was searched, and what else could be tried. */
export function NothingFound({ q }: { readonly q: string }) {
  const text = useText(findText);
  const what = q.length > SHOWN ? `${[...q.slice(0, SHOWN)].slice(0, -1).join('')}…` : q;
  return (
    <Empty icon={IconSearchOff} title={text.nothing(what)}>
      <List ta="start" size="sm" spacing={4} maw={480}>
        {text.tryThese.map((line) => (
          <List.Item key={line}>
            <Text size="sm">{line}</Text>
          </List.Item>
        ))}
      </List>
    </Empty>
  );
}
