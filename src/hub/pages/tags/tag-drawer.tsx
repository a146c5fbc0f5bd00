import { ActionIcon, Alert, Divider, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { Field } from '../../../contract/field.ts';
import type { TagData } from '../../../contract/tag-data.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagText } from '../../text/tags.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { TagAsset } from './tag-asset.tsx';
import { TagCode } from './tag-code.tsx';
import { TagHistory } from './tag-history.tsx';
import { useTagData } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';
import { TagTrail } from './tag-trail.tsx';
import { TagValue } from './tag-value.tsx';
import { TagWhere } from './tag-where.tsx';

interface Props {
  /** The tag to show; null: none. */
  readonly epc: string | null;
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}

interface TagProps {
  readonly epc: string;
  readonly fields: readonly Field[];
}

function Epc({ epc }: { readonly epc: string }) {
  const text = useText(tagText);
  const common = useText(commonText);
  const { isCopied, copy } = useCopy(epc);
  return (
    <Group gap="xs" wrap="nowrap">
      <Text className="code">{epc}</Text>
      <Tooltip label={isCopied ? common.copied : text.copyEpc}>
        <ActionIcon variant="subtle" aria-label={isCopied ? common.copied : text.copyEpc} onClick={copy}>
          {isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function Data({ epc, fields, data }: TagProps & { readonly data: TagData }) {
  const text = useText(tagText);
  const inOrder = fields.toSorted((a, b) => a.displayOrder - b.displayOrder);
  return (
    <TagSection title={text.data}>
      {fields.length === 0 && (
        <Text size="sm" c="dimmed">
          {text.noData}
        </Text>
      )}
      {inOrder.map((field) => (
        <TagValue key={field.id} epc={epc} field={field} value={String(data.attributes[field.key] ?? '')} />
      ))}
    </TagSection>
  );
}

function Tag({ epc, fields }: TagProps) {
  const text = useText(tagText);
  const data = useTagData(epc);
  return (
    <Stack gap="lg">
      <Epc epc={epc} />
      <Loaded query={data}>
        {(known) => (
          <>
            {!known.tagId && <Alert color="orange">{text.unknown}</Alert>}
            {known.tagId && <TagWhere epc={epc} />}
            <Divider />
            <Data epc={epc} fields={fields} data={known} />
            <TagCode epc={epc} />
            {known.tagId && (
              <>
                <TagAsset epc={epc} />
                <Divider />
                <TagTrail epc={epc} />
                <Divider />
                <TagHistory epc={epc} fields={fields} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Name({ epc, fields }: TagProps) {
  const text = useText(tagText);
  const attributes = useTagData(epc).data?.attributes ?? {};
  const key = fields.find(({ isLabel }) => isLabel)?.key;
  const name = key === undefined ? '' : String(attributes[key] ?? '');
  return (
    <Text span fw={600} size="lg" className="anything" lineClamp={2}>
      {name || text.unnamed}
    </Text>
  );
}

/** All about one tag, beside the table. */
export function TagDrawer({ epc, fields, onClose }: Props) {
  return (
    <SideDrawer opened={epc !== null} onClose={onClose} title={epc && <Name epc={epc} fields={fields} />}>
      {epc && <Tag key={epc} epc={epc} fields={fields} />}
    </SideDrawer>
  );
}
