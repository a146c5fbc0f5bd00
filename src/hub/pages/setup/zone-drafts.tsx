import { ActionIcon, Button, Group, Select, Stack, TextInput, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { type ZoneDraft, zoneKinds } from './zone-template.ts';

interface Props {
  /** Where they are made; the oldest site when it is not known. */
  readonly siteId: string | undefined;
  readonly drafts: readonly ZoneDraft[];
  readonly onChange: (drafts: readonly ZoneDraft[]) => void;
  readonly onMade: () => void;
}

// One after the other: those that are made leave the list, so that a refusal leaves only what is still to be done.
function useMake({ siteId, drafts, onChange, onMade }: Props) {
  const text = useText(setupText);
  const client = useQueryClient();
  return useAction({
    run: async () => {
      let left = drafts;
      try {
        for (const { key, name, kind } of drafts) {
          await call('POST', '/zones', { body: { name: name.trim(), kind, siteId } });
          left = left.filter((one) => one.key !== key);
        }
      } finally {
        onChange(left);
        void client.invalidateQueries({ queryKey: ['zones'] });
      }
    },
    done: text.zonesMade,
    quiet: true,
    onDone: onMade,
  });
}

/** The zones that are to be made, each of which can be changed or left out. */
export function ZoneDrafts(props: Props) {
  const { drafts, onChange } = props;
  const text = useText(setupText);
  const common = useText(commonText);
  const make = useMake(props);
  const isWhole = drafts.every(({ name }) => name.trim() !== '');
  const addOne = () => onChange([...drafts, { key: freshKey(drafts), name: '', kind: 'storage' }]);
  return (
    <Stack>
      <Title order={3} size="h5">
        {text.proposal}
      </Title>
      <Refusal error={make.error} />
      {drafts.map((draft, at) => (
        <DraftRow
          key={draft.key}
          draft={draft}
          no={at + 1}
          onEdit={(edit) => onChange(drafts.map((one) => (one === draft ? { ...one, ...edit } : one)))}
          onRemove={() => onChange(drafts.filter((one) => one !== draft))}
        />
      ))}
      <Group>
        <WriteButton loading={make.isPending} disabled={!isWhole} onClick={() => make.mutate()}>
          {text.makeZones(drafts.length)}
        </WriteButton>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={addOne}>
          {text.addZone}
        </Button>
        <Button variant="subtle" color="gray" onClick={() => onChange([])}>
          {common.cancel}
        </Button>
      </Group>
    </Stack>
  );
}

// No random one: browsers have no `randomUUID` on plain HTTP.
const freshKey = (drafts: readonly ZoneDraft[]): string =>
  `added ${Math.max(0, ...drafts.map(({ key }) => Number(/^added (\d+)$/.exec(key)?.[1] ?? 0))) + 1}`;

interface RowProps {
  readonly draft: ZoneDraft;
  readonly no: number;
  readonly onEdit: (edit: Partial<ZoneDraft>) => void;
  readonly onRemove: () => void;
}

function DraftRow({ draft, no, onEdit, onRemove }: RowProps) {
  const text = useText(setupText);
  return (
    <Group gap="xs" wrap="nowrap">
      <TextInput
        aria-label={text.zoneName(no)}
        value={draft.name}
        maxLength={255}
        style={{ flex: 2 }}
        onChange={(event) => onEdit({ name: event.currentTarget.value })}
      />
      <Select
        aria-label={text.kindOf(draft.name)}
        allowDeselect={false}
        data={zoneKinds.map((kind) => ({ value: kind, label: text.kinds[kind] }))}
        value={draft.kind}
        style={{ flex: 1 }}
        onChange={(kind) => kind && onEdit({ kind })}
      />
      <ActionIcon variant="default" size={36} aria-label={text.removeZone(draft.name)} onClick={onRemove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
