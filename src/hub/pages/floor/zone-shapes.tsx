import type { Floor } from '../../../contract/floor.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import classes from './floor.module.css';
import { boundsOf, middleOf, type Points } from './geometry.ts';
import { UNITS, useFrame } from './plan-frame.tsx';

/** Which zone is lit up, and whether the tag is there or was last. */
export interface Lit {
  readonly zoneId: string;
  readonly isThere: boolean;
}

interface Props {
  readonly zones: Floor['zones'];
  readonly names: ReadonlyMap<string, string>;
  /** Tags present by zone; null: not shown, because the plan shows another time. */
  readonly counts: ReadonlyMap<string, number> | null;
  readonly lit: Lit | null;
  readonly onOpen: (zoneId: string) => void;
}

/** Zones on the plan with their names and counts. */
export function ZoneShapes({ zones, names, counts, lit, onOpen }: Props) {
  return zones.map(({ zoneId, points }) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list beside the plan does the same by keyboard
    <g key={zoneId} className={classes.zone} data-zone={zoneId} onClick={() => onOpen(zoneId)}>
      <Area points={points} lit={lit?.zoneId === zoneId ? lit : null} />
      <ZoneLabel
        points={points}
        name={names.get(zoneId) ?? ''}
        count={counts?.get(zoneId)}
        lit={lit?.zoneId === zoneId ? lit : null}
      />
    </g>
  ));
}

/** A polygon in units of the drawing. */
export function useCorners(points: Points): string {
  const { height } = useFrame();
  return points.map(([x, y]) => `${x * UNITS},${y * height}`).join(' ');
}

function Area({ points, lit }: { readonly points: Points; readonly lit: Lit | null }) {
  const corners = useCorners(points);
  return (
    <polygon
      points={corners}
      className={classes.area}
      data-lit={lit ? (lit.isThere ? 'true' : 'was') : undefined}
    />
  );
}

interface LabelProps {
  readonly points: Points;
  readonly name: string;
  readonly count?: number | undefined;
  readonly lit?: Lit | null;
}

const NAME_PX = 14;
const COUNT_PX = 24;
/** About the width of a letter at that size. */
const LETTER_PX = 8;
const LETTERS_MIN = 6;

/** The name of a zone, as much of it as has room, over its count. The same size at every zoom. */
export function ZoneLabel({ points, name, count, lit = null }: LabelProps) {
  const text = useText(floorText);
  const shown = useCount();
  const { unit, height, size } = useFrame();
  const [x, y] = middleOf(points);
  const { left, right } = boundsOf(points);
  const letters = Math.max(LETTERS_MIN, Math.floor(((right - left) * size.width) / LETTER_PX));
  const lines = [
    { size: NAME_PX, words: name.length > letters ? `${name.slice(0, letters - 1)}…` : name },
    ...(count === undefined ? [] : [{ size: COUNT_PX, words: shown(count) }]),
    ...(lit ? [{ size: NAME_PX, words: `● ${lit.isThere ? text.here : text.wasHere}` }] : []),
  ];
  const top = y * height - (lines.reduce((sum, line) => sum + line.size * 1.2, 0) / 2) * unit;
  return lines.map((line, index) => {
    const above = lines.slice(0, index + 1).reduce((sum, one) => sum + one.size * 1.2, 0);
    return (
      <text
        key={line.size + line.words}
        x={x * UNITS}
        y={top + above * unit - 4 * unit}
        fontSize={line.size * unit}
        strokeWidth={3 * unit}
        className={`${classes.label} ${line.size === COUNT_PX ? classes.count : ''}`}
      >
        {line.words}
      </text>
    );
  });
}

/** Where antennas are. */
export function AntennaMarks({ antennas }: { readonly antennas: Floor['antennas'] }) {
  const { unit, height } = useFrame();
  return antennas.map(({ readerId, port, x, y }) => (
    <g key={`${readerId} ${port}`} transform={`translate(${x * UNITS} ${y * height}) scale(${unit})`}>
      <AntennaSign />
    </g>
  ));
}

/** An antenna, drawn in pixels. */
export function AntennaSign() {
  return (
    <>
      <circle r={9} className={classes.antenna} />
      <path
        d="M0 5 V-1 M-4 -4 A5.6 5.6 0 0 1 4 -4 M-2 -1.6 A2.8 2.8 0 0 1 2 -1.6"
        className={classes.antenna}
        fill="none"
      />
    </>
  );
}
