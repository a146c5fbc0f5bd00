import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import type { Written } from './written.ts';

let shown = '';

interface Props {
  readonly written: Written;
  readonly onUndo: () => void;
}

function Notice({ written, onUndo }: Props) {
  const text = useText(tagsText);
  const { label } = written.field;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" className="anything" lineClamp={2}>
        {written.text.trim() === '' ? text.cleared(label) : text.written(label)}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onUndo}>
        {text.undo}
      </Button>
    </Group>
  );
}

/** Says that a value was stored, and offers to take it back: the last one only, so that many do not pile up. */
export function tellWritten(written: Written, takeBack: (written: Written) => void): void {
  notifications.hide(shown);
  const id: string = notifications.show({
    color: 'green',
    autoClose: 8000,
    message: (
      <Notice
        written={written}
        onUndo={() => {
          notifications.hide(id);
          takeBack(written);
        }}
      />
    ),
  });
  shown = id;
}

/** The value was taken back by other means. */
export function hideWritten(): void {
  notifications.hide(shown);
}
