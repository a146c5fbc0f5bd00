import { curveOf } from './curve.ts';
import classes from './zone-card.module.css';

const BOX = { width: 100, height: 28 };

interface Props {
  readonly counts: readonly (number | null)[];
  /** What the curve says in words, of the lowest and the highest count. */
  readonly words: (low: number, high: number) => string;
}

/** A small curve without axes; nothing when too little is known. */
export function Sparkline({ counts, words }: Props) {
  const curve = curveOf(counts, BOX);
  if (!curve) return null;
  return (
    <svg
      className={classes.curve}
      viewBox={`0 -2 ${BOX.width} ${BOX.height + 4}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words(curve.low, curve.high)}
    >
      <path d={curve.path} />
    </svg>
  );
}
