import { useEffect } from 'react';
import { useSites } from '../../api/queries.ts';
import { useStreamState } from '../../live/use-live.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { clock } from '../../time/format.ts';
import { useNow } from '../../time/now.ts';
import { usePlace } from '../../time/when.tsx';
import classes from './kiosk.module.css';
import { LeaveKiosk } from './leave-kiosk.tsx';

/** The head of the wall: where this is, whether it is live, and what time it is. */
export function KioskHead() {
  const text = useText(nowText);
  const place = usePlace();
  const now = useNow();
  const state = useStreamState();
  const name = useSites().data?.[0]?.name || text.title;
  useEffect(() => {
    document.title = `${name} · Tagkeep`;
  }, [name]);
  const words = state.live
    ? text.live
    : state.since === null
      ? text.connecting
      : text.notLive(clock(state.since, place));
  return (
    <header className={classes.head}>
      <h1 className={`${classes.site} anything`}>{name}</h1>
      <span className={classes.state} role="status" data-live={state.live}>
        {words}
      </span>
      <time className={`${classes.clock} figures`}>{clock(now, place)}</time>
      <LeaveKiosk />
    </header>
  );
}
