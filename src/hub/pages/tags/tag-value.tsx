import { ActionIcon, Anchor, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { IconExternalLink, IconPencil } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import { useCanWrite } from '../../api/queries.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText, tagText } from '../../text/tags.ts';
import { safeUrl } from './epc-input.ts';
import { OvertakenError } from './overtaken.ts';
import { useValueWrite } from './use-value-write.ts';

interface Props {
  readonly epc: string;
  readonly field: Field;
  readonly value: string;
}

function ValueForm({ epc, field, value, onClose }: Props & { readonly onClose: () => void }) {
  const common = useText(commonText);
  const [typed, setTyped] = useState(value);
  // What whoever types has seen there; the value itself changes without their knowing.
  const [before, setBefore] = useState(value);
  const { write, isPending, reason } = useValueWrite(onClose);
  const seen = (error: Error) => {
    if (error instanceof OvertakenError) setBefore(error.now);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === before) onClose();
    else write({ epc, field, before, text: typed }, { onError: seen });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          data-autofocus
          autoFocus
          label={field.label}
          dir="auto"
          autosize
          maxRows={10}
          value={typed}
          error={reason}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end">
          <Button size="compact-sm" variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button size="compact-sm" type="submit" loading={isPending}>
            {common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

// Longer ones are cut, and opened by a button.
const LONG = 280;

function Value({ value }: Pick<Props, 'value'>) {
  const text = useText(tagText);
  const common = useText(commonText);
  const [isWhole, setWhole] = useState(false);
  const url = safeUrl(value);
  if (value === '')
    return (
      <Text size="sm" c="dimmed">
        {text.empty}
      </Text>
    );
  const isCut = value.length > LONG && !isWhole;
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" className="anything" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
        {isCut ? `${value.slice(0, LONG)}…` : value}
      </Text>
      {isCut && (
        <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
          {common.more}
        </Button>
      )}
      {url && (
        <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm">
          {text.open} <IconExternalLink size={14} aria-hidden />
        </Anchor>
      )}
    </Stack>
  );
}

/** One value of a tag, and writing another. */
export function TagValue(props: Props) {
  const { epc, field, value } = props;
  const text = useText(tagsText);
  const common = useText(commonText);
  const canWrite = useCanWrite();
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <ValueForm {...props} onClose={() => setOpen(false)} />;
  return (
    <Group wrap="nowrap" align="flex-start" justify="space-between" gap="xs">
      <Stack gap={0} style={{ minWidth: 0, flex: 1 }}>
        <Text size="xs" c="dimmed" className="anything">
          {field.label}
        </Text>
        <Value value={value} />
      </Stack>
      <Tooltip label={canWrite ? common.edit : common.readOnlyWhy}>
        <ActionIcon
          variant="subtle"
          aria-label={text.edit(field.label, epc)}
          data-disabled={!canWrite || undefined}
          aria-disabled={!canWrite}
          onClick={() => canWrite && setOpen(true)}
        >
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
