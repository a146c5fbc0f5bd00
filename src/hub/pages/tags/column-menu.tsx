import { Menu } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconChevronDown,
  IconEyeOff,
  IconPencil,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import type { Field } from '../../../contract/field.ts';
import { useCanWrite } from '../../api/queries.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { useColumns } from './column-context.ts';
import styles from './grid.module.css';
import { useFieldChange } from './use-field-change.ts';

const icon = { size: 16, 'aria-hidden': true } as const;

function MoveItems({ field }: { readonly field: Field }) {
  const text = useText(tagsText);
  const canWrite = useCanWrite();
  const { movable } = useColumns();
  const { mutate } = useFieldChange();
  const at = movable.findIndex(({ id }) => id === field.id);
  if (at < 0) return null;
  const item = (neighbour: Field | undefined, label: string, Icon: typeof IconArrowLeft) => (
    <Menu.Item
      leftSection={<Icon {...icon} />}
      disabled={!canWrite || !neighbour}
      onClick={() => neighbour && mutate({ field, change: { displayOrder: neighbour.displayOrder } })}
    >
      {label}
    </Menu.Item>
  );
  return (
    <>
      {item(movable[at - 1], text.moveLeft, IconArrowLeft)}
      {item(movable[at + 1], text.moveRight, IconArrowRight)}
    </>
  );
}

function UseItems({ field }: { readonly field: Field }) {
  const text = useText(tagsText);
  const canWrite = useCanWrite();
  const { mutate } = useFieldChange();
  return (
    <>
      <Menu.Item
        leftSection={<IconTag {...icon} />}
        disabled={!canWrite}
        onClick={() => mutate({ field, change: { isLabel: !field.isLabel } })}
      >
        {field.isLabel ? text.unmakeName : text.makeName}
      </Menu.Item>
      <Menu.Item
        disabled={!canWrite}
        onClick={() => mutate({ field, change: { showInTable: !field.showInTable } })}
      >
        {field.showInTable ? text.notInEvents : text.inEvents}
      </Menu.Item>
    </>
  );
}

function Items({ field }: { readonly field: Field }) {
  const text = useText(tagsText);
  const common = useText(commonText);
  const canWrite = useCanWrite();
  const { hide, ask } = useColumns();
  return (
    <>
      {!canWrite && <Menu.Label>{common.readOnlyWhy}</Menu.Label>}
      <Menu.Item
        leftSection={<IconPencil {...icon} />}
        disabled={!canWrite}
        onClick={() => ask({ kind: 'rename', field })}
      >
        {text.rename}
      </Menu.Item>
      <MoveItems field={field} />
      <Menu.Item leftSection={<IconEyeOff {...icon} />} onClick={() => hide(field.id)}>
        {text.hide}
      </Menu.Item>
      <Menu.Divider />
      <UseItems field={field} />
      <Menu.Divider />
      <Menu.Item
        c="error"
        leftSection={<IconTrash {...icon} />}
        disabled={!canWrite}
        onClick={() => ask({ kind: 'delete', field })}
      >
        {text.deleteField}
      </Menu.Item>
    </>
  );
}

/** The heading of a field's column, which opens what can be done with it. */
export function ColumnMenu({ field }: { readonly field: Field }) {
  const text = useText(tagsText);
  return (
    <Menu position="bottom-start" width={270}>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          className={styles.title}
          aria-label={text.columnMenu(field.label)}
          title={field.label}
        >
          <span className={styles.value} dir="auto">
            {field.label}
          </span>
          {field.isLabel && <IconTag size={14} role="img" aria-label={text.isName} />}
          <IconChevronDown size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Items field={field} />
      </Menu.Dropdown>
    </Menu>
  );
}
