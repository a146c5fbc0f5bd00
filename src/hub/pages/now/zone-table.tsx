import { Anchor, Table, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useRef } from 'react';
import { Link } from 'wouter';
import type { ZoneInventoryEntry } from '../../../contract/inventory.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { When } from '../../time/when.tsx';
import classes from './zone-table.module.css';

const ROW_PX = 56;

const Row = memo(function Row({ tag, index }: { readonly tag: ZoneInventoryEntry; readonly index: number }) {
  return (
    <Table.Tr h={ROW_PX} aria-rowindex={index + 2}>
      <Table.Td>
        <Anchor component={Link} href={`/tags/${tag.epc}`} size="sm" className={classes.tag}>
          {tag.label ? (
            <>
              <Text span size="sm" truncate className="anything" title={tag.label}>
                {tag.label.slice(0, 200)}
              </Text>
              <span className={classes.epc}>{tag.epc}</span>
            </>
          ) : (
            <span className={classes.epc}>{tag.epc}</span>
          )}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <When at={tag.since} />
      </Table.Td>
      <Table.Td>
        <When at={tag.lastSeenAt} />
      </Table.Td>
    </Table.Tr>
  );
});

/** The tags of a zone. Only the rows in sight are drawn. */
export function ZoneTable({ tags }: { readonly tags: readonly ZoneInventoryEntry[] }) {
  const text = useText(nowText);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: tags.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const items = rows.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={classes.box} tabIndex={0} aria-label={text.present}>
      <Table aria-rowcount={tags.length + 1} layout="fixed" stickyHeader verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.tag}</Table.Th>
            <Table.Th w={140}>{text.since}</Table.Th>
            <Table.Th w={140}>{text.lastSeen}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const tag = tags[index];
            return tag && <Row key={tag.epc} tag={tag} index={index} />;
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </Table.Tbody>
      </Table>
    </section>
  );
}
