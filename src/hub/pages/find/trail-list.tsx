import { Button, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { TagLocation } from '../../../contract/tag-location.ts';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { duration } from '../../time/duration.ts';
import { clock, short } from '../../time/format.ts';
import { usePlace } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import classes from './find.module.css';
import { useVisits } from './queries.ts';
import { type Stop, trailOf } from './trail.ts';

const STEP = 10;
/** Within this, the time of day alone says when. */
const NEAR_MS = 12 * 3_600_000;

interface LineProps {
  readonly stop: Stop;
  /** When it came here, ISO 8601; null where it is not any more. */
  readonly since: string | null;
}

function StopLine({ stop, since }: LineProps) {
  const text = useText(findText);
  const place = usePlace();
  const from = Date.parse(since ?? stop.from);
  const to = Date.parse(stop.to);
  const until = to - from < NEAR_MS ? clock(to, place) : short(to, place);
  const lasted = Math.max(0, to - from);
  const isInstant = since === null && clock(from, place) === until;
  return (
    <li className={classes.stop} data-here={since !== null}>
      <Text fw={600} lineClamp={2} className="anything" title={stop.zoneName ?? ''}>
        {stop.zoneName ?? text.noZone}
      </Text>
      <Text size="sm" className="figures">
        {short(from, place)}
        {!isInstant && ` – ${since !== null ? text.there : until}`}
        {lasted >= 1000 && ` · ${duration(lasted, place.language)}`}
      </Text>
      {stop.readers.length > 0 && (
        <Text size="sm" c="dimmed" lineClamp={2} className="anything">
          {text.by(stop.readers.join(', '))}
        </Text>
      )}
    </li>
  );
}

/** Where a tag was, newest first. */
export function TrailList({ location }: { readonly location: TagLocation }) {
  const text = useText(findText);
  const [length, show] = useState(STEP);
  const query = useVisits(location.epc);
  const stops = useMemo(() => trailOf(query.data ?? []), [query.data]);
  const here = location.present ? stops.find(({ zoneId }) => zoneId === location.zoneId) : undefined;
  // What hears it as well may have read it last.
  const ordered = here ? [here, ...stops.filter((stop) => stop !== here)] : stops;
  return (
    <Stack gap="sm" component="section" aria-labelledby="trail" align="flex-start">
      <Title order={3} size="h5" id="trail">
        {text.trail}
      </Title>
      <Loaded query={query}>
        {() => (stops.length === 0 ? <Text size="sm">{text.noTrail}</Text> : null)}
      </Loaded>
      <ol className={classes.trail}>
        {ordered.slice(0, length).map((stop) => (
          <StopLine key={stop.key} stop={stop} since={stop === here ? location.since : null} />
        ))}
      </ol>
      {stops.length > length && (
        <Button size="compact-sm" variant="default" onClick={() => show(length + STEP)}>
          {text.earlier}
        </Button>
      )}
    </Stack>
  );
}
