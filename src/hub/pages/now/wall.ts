/** How many columns and rows a wall of cells has. */
export interface Wall {
  readonly columns: number;
  readonly rows: number;
}

/** A cell is read best when it is so much wider than high. */
const SHAPE = 1.5;

/** The arrangement of `count` cells in a screen `width` by `height` in which they are largest. */
export function wallFor(count: number, width: number, height: number): Wall {
  const cells = Math.max(1, count);
  let best = { columns: 1, rows: cells };
  let most = -1;
  for (let columns = 1; columns <= cells; columns++) {
    const rows = Math.ceil(cells / columns);
    const size = Math.min(width / columns / SHAPE, height / rows);
    // Of as large ones those without empty places.
    if (size <= most) continue;
    most = size;
    best = { columns: Math.ceil(cells / rows), rows };
  }
  return best;
}
