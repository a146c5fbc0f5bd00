import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly heads: readonly string[];
  /** Narrower than this, px, it scrolls in its own box. */
  readonly minWidth?: number;
  readonly children: ReactNode;
}

/** A table with few lines that scrolls sideways in its own box; `children` are its rows. */
export function WideTable({ label, heads, minWidth = 560, children }: Props) {
  return (
    // A box that scrolls must be reachable by keyboard. What is hidden in it is placed in it, and makes the page no wider.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section aria-label={label} tabIndex={0} style={{ overflowX: 'auto', position: 'relative' }}>
      <Table miw={minWidth} verticalSpacing="sm" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head} scope="col">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  );
}
