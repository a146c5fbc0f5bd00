import type { Draft, Drawing } from './draft.ts';

/** The same piece of a drawing, a zone or an antenna, as one person began with it, left it, and another one saved it. */
interface Three<T> {
  readonly base: readonly T[];
  readonly mine: readonly T[];
  readonly theirs: readonly T[];
}

/** How pieces are told apart, and what of them is drawn. */
interface Kind<T> {
  readonly keyOf: (piece: T) => string;
  readonly lookOf: (piece: T) => string;
}

type Zone = Drawing['zones'][number];
type Antenna = Drawing['antennas'][number];

const zoneKind: Kind<Zone> = {
  keyOf: ({ zoneId }) => zoneId,
  lookOf: ({ points }) => JSON.stringify(points),
};
const antennaKind: Kind<Antenna> = {
  keyOf: ({ readerId, port }) => `${readerId} ${port}`,
  lookOf: ({ x, y }) => `${x} ${y}`,
};

/** Whose piece it is where both have changed it. */
export type Winner = 'mine' | 'theirs';

/** Whether two drawings show the same, in whatever order. Pure. */
export function isSame(one: Drawing, other: Drawing): boolean {
  return looksOf(one) === looksOf(other);
}

function looksOf({ zones, antennas }: Drawing): string {
  const looks = [
    ...zones.map((zone) => `${zoneKind.keyOf(zone)} ${zoneKind.lookOf(zone)}`),
    ...antennas.map((antenna) => `${antennaKind.keyOf(antenna)} ${antennaKind.lookOf(antenna)}`),
  ];
  return looks.sort().join('\n');
}

/** What of a drawing two people have changed, each differently: ids of zones, and `readerId port` of antennas. Pure. */
export function clashesOf(base: Drawing, mine: Drawing, theirs: Drawing): readonly string[] {
  return [
    ...clashing({ base: base.zones, mine: mine.zones, theirs: theirs.zones }, zoneKind),
    ...clashing({ base: base.antennas, mine: mine.antennas, theirs: theirs.antennas }, antennaKind),
  ];
}

/** Whether something was drawn that is not saved: only so many steps are known, so what is drawn counts too. Pure. */
export const isBegun = ({ past, now }: Draft, base: Drawing): boolean =>
  past.length > 0 || !isSame(now, base);

/**
 * A draft that began with `base`, as if it had begun with what somebody else has saved since. The `winner` is of what is drawn
 * now; a step back or forth never takes away what the other has saved, for nobody is asked then. Pure.
 */
export function rebased(draft: Draft, [base, theirs]: readonly [Drawing, Drawing], winner: Winner): Draft {
  const over = (mine: Drawing, whose: Winner): Drawing => ({
    zones: merged({ base: base.zones, mine: mine.zones, theirs: theirs.zones }, zoneKind, whose),
    antennas: merged(
      { base: base.antennas, mine: mine.antennas, theirs: theirs.antennas },
      antennaKind,
      whose,
    ),
  });
  const step = (mine: Drawing): Drawing => over(mine, 'theirs');
  return { past: draft.past.map(step), now: over(draft.now, winner), future: draft.future.map(step) };
}

function byKey<T>(pieces: readonly T[], { keyOf }: Kind<T>): ReadonlyMap<string, T> {
  return new Map(pieces.map((piece) => [keyOf(piece), piece]));
}

function keysOf<T>({ mine, theirs }: Three<T>, { keyOf }: Kind<T>): readonly string[] {
  return [...new Set([...theirs, ...mine].map(keyOf))];
}

function merged<T>(three: Three<T>, kind: Kind<T>, winner: Winner): T[] {
  const look = looker(three, kind);
  const [mine, theirs] = [byKey(three.mine, kind), byKey(three.theirs, kind)];
  return keysOf(three, kind).flatMap((key) => {
    const [was, here, there] = look(key);
    const isMine = there === was || (here !== was && winner === 'mine');
    const piece = (isMine ? mine : theirs).get(key);
    return piece === undefined ? [] : [piece];
  });
}

function clashing<T>(three: Three<T>, kind: Kind<T>): readonly string[] {
  const look = looker(three, kind);
  return [...new Set([...keysOf(three, kind), ...three.base.map(kind.keyOf)])].filter((key) => {
    const [was, here, there] = look(key);
    return here !== was && there !== was && here !== there;
  });
}

/** How a piece looks in each of the three; undefined where it is not drawn. */
function looker<T>({ base, mine, theirs }: Three<T>, kind: Kind<T>) {
  const all = [base, mine, theirs].map((pieces) => byKey(pieces, kind));
  return (key: string): readonly (string | undefined)[] =>
    all.map((pieces) => {
      const piece = pieces.get(key);
      return piece === undefined ? undefined : kind.lookOf(piece);
    });
}
