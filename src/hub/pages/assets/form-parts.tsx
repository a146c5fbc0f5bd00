import { Button, Group } from '@mantine/core';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { WriteButton } from '../../ui/write-button.tsx';

interface Props {
  readonly action: string;
  readonly busy: boolean;
  readonly close: () => void;
  readonly disabled?: boolean;
}

/** The end of a form. */
export function FormEnd({ action, busy, close, disabled = false }: Props) {
  const text = useText(commonText);
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={close}>
        {text.cancel}
      </Button>
      <WriteButton type="submit" loading={busy} disabled={disabled}>
        {action}
      </WriteButton>
    </Group>
  );
}
