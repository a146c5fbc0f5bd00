import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

interface Undoable {
  readonly message: string;
  readonly action: string;
  readonly undo: () => void;
}

const TIME_TO_UNDO_MS = 12_000;

/** Says that something is done, with a button that undoes it. */
export function tellUndoable({ message, action, undo }: Undoable): void {
  const id = crypto.randomUUID?.() ?? String(Math.random());
  const run = () => {
    notifications.hide(id);
    undo();
  };
  notifications.show({
    id,
    color: 'green',
    autoClose: TIME_TO_UNDO_MS,
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" className="anything" lineClamp={3}>
          {message}
        </Text>
        <Button size="compact-sm" variant="default" flex="none" onClick={run}>
          {action}
        </Button>
      </Group>
    ),
  });
}
