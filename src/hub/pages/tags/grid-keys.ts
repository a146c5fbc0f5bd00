/** A cell. Row -1 is the one with the headings. */
export interface Place {
  readonly row: number;
  readonly col: number;
}

/** What of the table keys can move about in; `page` is the rows that fit into it. */
export interface Extent {
  readonly rows: number;
  readonly cols: number;
  readonly page: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Where a key moves from a cell, as the ARIA grid pattern has it; null when it moves nowhere. */
export function moved(from: Place, pressed: Key, extent: Extent): Place | null {
  const isFar = pressed.ctrlKey || pressed.metaKey;
  const to = target(from, pressed.key, { ...extent, isFar });
  if (!to) return null;
  return {
    row: Math.max(-1, Math.min(extent.rows - 1, to.row)),
    col: Math.max(0, Math.min(extent.cols - 1, to.col)),
  };
}

function target(
  { row, col }: Place,
  key: string,
  { rows, cols, page, isFar }: Extent & { readonly isFar: boolean },
): Place | null {
  const last = rows - 1;
  switch (key) {
    case 'ArrowUp':
      return { row: isFar ? 0 : row - 1, col };
    case 'ArrowDown':
      return { row: isFar ? last : row + 1, col };
    case 'ArrowLeft':
      return { row, col: isFar ? 0 : col - 1 };
    case 'ArrowRight':
      return { row, col: isFar ? cols - 1 : col + 1 };
    case 'Home':
      return { row: isFar ? 0 : row, col: 0 };
    case 'End':
      return { row: isFar ? last : row, col: cols - 1 };
    case 'PageUp':
      return { row: Math.max(0, row - page), col };
    case 'PageDown':
      return { row: row + page, col };
    default:
      return null;
  }
}

/** The next cell to the right (or, `back`, to the left) that can be written into; null at the end of the row. */
export function nextEditable(canEdit: readonly boolean[], col: number, back: boolean): number | null {
  const step = back ? -1 : 1;
  for (let at = col + step; at >= 0 && at < canEdit.length; at += step) if (canEdit[at]) return at;
  return null;
}

/** Whether a pressed key is a character to begin typing with. */
export const isTyping = (pressed: Key & { readonly altKey: boolean }): boolean =>
  [...pressed.key].length === 1 && !pressed.ctrlKey && !pressed.metaKey && !pressed.altKey;
