import { Badge } from '@mantine/core';
import { useStreamState } from '../live/use-live.ts';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';
import { clock } from '../time/format.ts';
import { usePlace } from '../time/when.tsx';

/** Says whether what the page shows is of this moment, or since when it is not. */
export function LiveBadge() {
  const text = useText(shellText);
  const state = useStreamState();
  const place = usePlace();
  const words = state.live
    ? text.live
    : state.since === null
      ? text.connecting
      : text.since(clock(state.since, place));
  const color = state.live ? 'green' : state.since === null ? 'gray' : 'orange';
  return (
    <Badge color={color} variant="light" tt="none" role="status" data-live={state.live}>
      {words}
    </Badge>
  );
}
