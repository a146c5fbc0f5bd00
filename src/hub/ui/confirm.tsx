import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, and that it cannot be undone when it cannot. */
  readonly children: ReactNode;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly busy?: boolean;
  /** What has to be typed before, for what cannot be undone: a name, a number. */
  readonly word?: string;
}

/** Asks before something is done. */
export function Confirm(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
      <Question {...props} />
    </Modal>
  );
}

// Mounted anew each time it is opened, so that nothing typed before is still there.
function Question({ onClose, children, action, onConfirm, busy = false, word }: Props) {
  const text = useText(commonText);
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (word === undefined || typed.trim() === word) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text component="div">{children}</Text>
        {word !== undefined && (
          <TextInput
            data-autofocus
            label={text.typeToConfirm(word)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            loading={busy}
            disabled={word !== undefined && typed.trim() !== word}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
