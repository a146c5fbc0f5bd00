import { type CSSProperties, memo } from 'react';
import { useCount } from '../../time/numbers.ts';
import classes from './kiosk.module.css';

interface Props {
  readonly name: string;
  readonly count: number;
  /** How often it has changed while the page is open. */
  readonly changes: number;
}

/** A zone on the wall: its figure as large as its place allows. */
export const KioskCell = memo(function KioskCell({ name, count, changes }: Props) {
  const figure = useCount()(count);
  // Custom properties are no part of the type.
  const size = { '--digits': Math.max(2, figure.length) } as CSSProperties;
  return (
    <li className={classes.cell} style={size} data-zone={name}>
      {changes > 0 && <span key={changes} className={classes.glow} aria-hidden />}
      <span className={`${classes.name} anything`}>{name}</span>
      <span className={`${classes.figure} figures`}>{figure}</span>
    </li>
  );
});
