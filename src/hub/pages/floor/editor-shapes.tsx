import type { Floor } from '../../../contract/floor.ts';
import { floorText } from '../../text/floor.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { percent } from '../../time/numbers.ts';
import { type Drawing, withCorner } from './draft.ts';
import classes from './floor.module.css';
import { midpoint, type Point } from './geometry.ts';
import { UNITS, useFrame } from './plan-frame.tsx';
import { usePorts } from './queries.ts';
import type { Apply } from './use-draft.ts';
import { useHandle } from './use-handle.ts';
import { AntennaSign, useCorners, ZoneLabel } from './zone-shapes.tsx';

interface Props {
  readonly drawing: Drawing;
  readonly names: ReadonlyMap<string, string>;
  readonly selected: string;
  readonly select: (zoneId: string) => void;
  readonly apply: Apply;
}

type DrawnZone = Floor['zones'][number];
const NAME_MAX = 60;

/** The drawing, movable: areas, the corners of the selected one, antennas. The selected one lies on top. */
export function EditorShapes({ drawing, names, selected, select, apply }: Props) {
  const top = drawing.zones.find(({ zoneId }) => zoneId === selected);
  const zones = [...drawing.zones.filter((zone) => zone !== top), ...(top ? [top] : [])];
  const nameOf = (zoneId: string) => (names.get(zoneId) ?? '').slice(0, NAME_MAX);
  return (
    <>
      {zones.map((zone) => (
        <ZoneArea
          key={zone.zoneId}
          zone={zone}
          name={nameOf(zone.zoneId)}
          isSelected={zone === top}
          {...{ select, apply }}
        />
      ))}
      {drawing.antennas.map((antenna) => (
        <AntennaHandle key={`${antenna.readerId} ${antenna.port}`} antenna={antenna} apply={apply} />
      ))}
      {top && <Corners zone={top} name={nameOf(top.zoneId)} apply={apply} />}
    </>
  );
}

interface AreaProps {
  readonly zone: DrawnZone;
  readonly name: string;
  readonly isSelected: boolean;
  readonly select: Props['select'];
  readonly apply: Apply;
}

function ZoneArea({ zone: { zoneId, points }, name, isSelected, select, apply }: AreaProps) {
  const text = useText(floorText);
  const corners = useCorners(points);
  const handle = useHandle({ kind: 'zone', zoneId }, { apply, onSelect: () => select(zoneId) });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot be in a drawing
    <g
      className={classes.handle}
      role="button"
      tabIndex={0}
      aria-label={text.area(name, points.length)}
      aria-pressed={isSelected}
      aria-describedby="floor-edit-help"
      {...handle}
    >
      <polygon points={corners} className={classes.area} data-selected={isSelected} />
      <ZoneLabel points={points} name={name} />
    </g>
  );
}

interface CornersProps {
  readonly zone: DrawnZone;
  readonly name: string;
  readonly apply: Apply;
}

function Corners({ zone, name, apply }: CornersProps) {
  return zone.points.map((_, index) => (
    // A corner is known by its place in the row.
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <g key={index}>
      <AddCorner zone={zone} index={index} apply={apply} />
      <Corner zone={zone} index={index} name={name} apply={apply} />
    </g>
  ));
}

interface CornerProps {
  readonly zone: DrawnZone;
  readonly index: number;
  readonly apply: Apply;
}

const HIT_PX = 12;
const KNOB_PX = 6;

/** Where something lies, in words. */
function usePosition(): (point: Point) => string {
  const text = useText(floorText);
  const { language } = useLanguage();
  return ([x, y]) => text.position(percent(x, language, 1), percent(y, language, 1));
}

function usePlace([x, y]: Point): string {
  const { unit, height } = useFrame();
  return `translate(${x * UNITS} ${y * height}) scale(${unit})`;
}

function Corner({ zone: { zoneId, points }, index, name, apply }: CornerProps & { readonly name: string }) {
  const text = useText(floorText);
  const point = points[index] ?? [0, 0];
  const place = usePlace(point);
  const position = usePosition();
  const handle = useHandle(
    { kind: 'point', zoneId, index },
    { apply, onAdd: () => apply((drawing) => withCorner(drawing, zoneId, index)) },
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot be in a drawing
    <g
      className={classes.handle}
      transform={place}
      role="button"
      tabIndex={0}
      aria-label={`${text.corner(index + 1, name)}: ${position(point)}`}
      aria-describedby="floor-edit-help"
      {...handle}
    >
      <circle r={HIT_PX} className={classes.hit} />
      <circle r={KNOB_PX} className={classes.knob} />
    </g>
  );
}

/** By pointer only: keys add a corner at a corner. */
function AddCorner({ zone: { zoneId, points }, index, apply }: CornerProps) {
  const place = usePlace(midpoint(points, index));
  return (
    <g
      transform={place}
      className={classes.handle}
      aria-hidden
      data-add-corner={index}
      onPointerDown={(event) => {
        event.stopPropagation();
        apply((drawing) => withCorner(drawing, zoneId, index));
      }}
    >
      <circle r={HIT_PX} className={classes.hit} />
      <path d="M-4 0 H4 M0 -4 V4" className={classes.plus} />
    </g>
  );
}

interface AntennaProps {
  readonly antenna: Floor['antennas'][number];
  readonly apply: Apply;
}

function AntennaHandle({ antenna: { readerId, port, x, y }, apply }: AntennaProps) {
  const text = useText(floorText);
  const reader = usePorts().data?.find((one) => one.readerId === readerId)?.readerName ?? '';
  const place = usePlace([x, y]);
  const position = usePosition();
  const handle = useHandle({ kind: 'antenna', readerId, port }, { apply });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot be in a drawing
    <g
      className={classes.handle}
      transform={place}
      role="button"
      tabIndex={0}
      aria-label={`${text.antenna(reader.slice(0, NAME_MAX), port)}: ${position([x, y])}`}
      aria-describedby="floor-edit-help"
      {...handle}
    >
      <circle r={HIT_PX} className={classes.hit} />
      <AntennaSign />
    </g>
  );
}
