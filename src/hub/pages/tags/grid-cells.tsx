import { Anchor, Loader, VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconBox } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Field } from '../../../contract/field.ts';
import type { Tag } from '../../../contract/tag.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { exact, relative } from '../../time/format.ts';
import { useNow } from '../../time/now.ts';
import { tagHref } from './epc-input.ts';
import styles from './grid.module.css';
import { useGrid } from './grid-context.ts';
import type { Edit } from './use-cell-edits.ts';
import { useLivePart } from './use-live-rows.ts';

/** Characters of a value put into a cell and its tooltip: what is over is not seen there anyway. */
const SHOWN = 400;

export function EpcCell({ tag }: { readonly tag: Tag }) {
  const text = useText(tagsText);
  const { search } = useGrid();
  return (
    <>
      <Anchor
        component={Link}
        href={tagHref(tag.epc) + search}
        className={`code ${styles.value}`}
        tabIndex={-1}
        title={tag.epc}
      >
        {tag.epc}
      </Anchor>
      {tag.targetType && <IconBox size={16} role="img" aria-label={text.linked} />}
    </>
  );
}

export function ZoneCell({ tag }: { readonly tag: Tag }) {
  const text = useText(tagsText);
  const zone = useLivePart(tag.epc)?.zoneName ?? tag.zoneName;
  if (zone === null) return <span className={styles.quiet}>{text.notPlaced}</span>;
  return (
    <span className={styles.value} title={zone}>
      {zone}
    </span>
  );
}

export function SeenCell({ tag }: { readonly tag: Tag }) {
  const text = useText(tagsText);
  const now = useNow();
  const { site } = useGrid();
  const heard = useLivePart(tag.epc)?.lastSeenAt ?? '';
  const at = heard > (tag.lastSeenAt ?? '') ? heard : tag.lastSeenAt;
  if (!at) return <span className={styles.quiet}>{text.neverSeen}</span>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} className={`figures ${styles.value}`} title={exact(ms, site)}>
      {relative(Math.min(ms, now), now, site.language)}
    </time>
  );
}

interface ValueProps {
  readonly field: Field;
  readonly value: string;
  readonly edit: Edit | undefined;
}

export function ValueCell({ field, value, edit }: ValueProps) {
  const text = useText(tagsText);
  const shown = (edit?.text ?? value).slice(0, SHOWN);
  const isNumber = field.dataType === 'number' && shown !== '' && Number.isFinite(Number(shown));
  return (
    <>
      <span
        className={`${styles.value} ${isNumber ? styles.number : ''} ${edit ? styles.quiet : ''}`}
        title={shown}
        dir="auto"
      >
        {shown}
      </span>
      {edit && edit.reason === null && <Loader size={14} aria-label={text.saving} />}
      {edit && edit.reason !== null && (
        <>
          <IconAlertCircle size={16} color="var(--mantine-color-error)" aria-hidden />
          <VisuallyHidden>{text.notSaved(edit.reason)}</VisuallyHidden>
        </>
      )}
    </>
  );
}
