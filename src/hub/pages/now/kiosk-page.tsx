import { useElementSize } from '@mantine/hooks';
import type { CSSProperties } from 'react';
import { Link, useSearch } from 'wouter';
import type { InventorySummaryEntry } from '../../../contract/inventory.ts';
import { useSummary } from '../../api/queries.ts';
import { LoginAgain } from '../../shell/login.tsx';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { byName } from '../../ui/by-name.ts';
import { Loaded } from '../../ui/loaded.tsx';
import classes from './kiosk.module.css';
import { KioskCell } from './kiosk-cell.tsx';
import { KioskHead } from './kiosk-head.tsx';
import { KioskTroubles } from './kiosk-troubles.tsx';
import { countIn } from './moves.ts';
import { useMoves } from './use-moves.ts';
import { useWakeLock } from './use-wake-lock.ts';
import { wallFor } from './wall.ts';

interface Props {
  readonly zones: readonly InventorySummaryEntry[];
  /** When they were answered, epoch ms. */
  readonly basis: number;
}

function Zones({ zones, basis }: Props) {
  const { ref, width, height } = useElementSize<HTMLUListElement>();
  const moves = useMoves(basis);
  // Before it is measured it is about as large as the screen: it must not begin as a single column.
  const { columns, rows } = wallFor(zones.length, width || window.innerWidth, height || window.innerHeight);
  // Custom properties are no part of the type.
  const shape = { '--columns': columns, '--rows': rows } as CSSProperties;
  return (
    <ul ref={ref} className={classes.wall} style={shape}>
      {byName(zones, ({ zoneName }) => zoneName).map(({ zoneId, zoneName, total }) => (
        <KioskCell
          key={zoneId}
          name={zoneName}
          count={countIn(total, zoneId, { moves, basis })}
          changes={moves.changes.get(zoneId) ?? 0}
        />
      ))}
    </ul>
  );
}

function NoZones() {
  const text = useText(nowText);
  return (
    <p className={classes.nothing}>
      {text.noZones}. <Link href="/setup">{text.setUp}</Link>
    </p>
  );
}

/** The wall screen: every zone at once, to be read from three metres, for days. `&dark` and `&light` choose its look. */
export function KioskPage() {
  useWakeLock();
  const query = useSummary();
  const asked = new URLSearchParams(useSearch());
  const look = asked.has('dark') ? classes.dark : asked.has('light') ? '' : classes.auto;
  return (
    <main id="content" className={`${classes.kiosk} ${look}`}>
      <KioskHead />
      <Loaded query={query}>
        {(zones) => (zones.length === 0 ? <NoZones /> : <Zones zones={zones} basis={query.dataUpdatedAt} />)}
      </Loaded>
      <KioskTroubles />
      <LoginAgain />
    </main>
  );
}
