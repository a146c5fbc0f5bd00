import { ActionIcon, Alert, Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { floorText } from '../../text/floor.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { clock, type Place } from '../../time/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { dayIn } from './day.ts';
import classes from './floor.module.css';
import { type Track, useTrack } from './queries.ts';
import { StayTable } from './stay-table.tsx';
import { type Span, type Stay, whereAt, within } from './track.ts';
import type { GoOnFloor } from './use-floor-address.ts';
import type { Lit } from './zone-shapes.tsx';

interface Props {
  readonly epc: string;
  /** YYYY-MM-DD in the site's zone. */
  readonly date: string;
  readonly timeZone: string;
  readonly onLit: (lit: Lit | null) => void;
  readonly go: GoOnFloor;
}

/** A day of a tag, played back: the zone it was in lights up. */
export function Playback({ epc, date, timeZone, onLit, go }: Props) {
  const text = useText(floorText);
  const { language } = useLanguage();
  const track = useTrack(epc);
  const day = dayIn(date, timeZone);
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-end" gap="sm">
          <TextInput
            type="date"
            label={text.day}
            value={date}
            onChange={({ currentTarget: { value } }) => value && go({ day: value })}
          />
          <Button variant="default" onClick={() => go({ day: '' })}>
            {text.back}
          </Button>
        </Group>
        {day === null ? (
          <Text>{text.badDay}</Text>
        ) : (
          <Loaded query={track} loading={<Loading lines={1} />}>
            {(data) => <Day track={data} day={day} place={{ language, timeZone }} onLit={onLit} />}
          </Loaded>
        )}
      </Stack>
    </Paper>
  );
}

interface DayProps {
  readonly track: Track;
  readonly day: Span;
  readonly place: Place;
  readonly onLit: Props['onLit'];
}

function Day({ track, day, place, onLit }: DayProps) {
  const text = useText(floorText);
  const stays = useMemo(() => within(track.stays, day), [track, day]);
  const first = stays[0];
  const isCut = track.isCut && (track.stays[0]?.from ?? 0) > day.from;
  return (
    <>
      {isCut && <Alert color="orange">{text.cut}</Alert>}
      {first ? (
        <Player stays={stays} day={spanOf(stays, day)} place={place} onLit={onLit} />
      ) : (
        <Text role="status">{text.noStays}</Text>
      )}
    </>
  );
}

// From the first to the last time it was heard: nothing is to be seen before and after.
function spanOf(stays: readonly Stay[], day: Span): Span {
  const from = Math.max(day.from, stays[0]?.from ?? day.from);
  const to = Math.min(day.to, Math.max(from + 1000, ...stays.map((stay) => stay.to)));
  return { from, to };
}

const TICK_MS = 100;
const speeds = [1, 5, 30];

function usePlayer({ from, to }: Span) {
  const [at, setAt] = useState(from);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(5);
  const tick = useEffectEvent(() => {
    const next = Math.min(to, at + TICK_MS * speed * 60);
    setAt(next);
    if (next >= to) setPlaying(false);
  });
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => tick(), TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const toggle = () => {
    if (!isPlaying && at >= to) setAt(from);
    setPlaying(!isPlaying);
  };
  return { at, setAt, isPlaying, toggle, speed, setSpeed };
}

function Player({ stays, day, place, onLit }: Omit<DayProps, 'track'> & { readonly stays: readonly Stay[] }) {
  const text = useText(floorText);
  const player = usePlayer(day);
  const { at, setAt } = player;
  const where = whereAt(stays, at);
  const tell = useEffectEvent(onLit);
  const [zoneId, isThere] = [where?.zoneId, where?.isThere === true];
  useEffect(() => tell(zoneId === undefined ? null : { zoneId, isThere }), [zoneId, isThere]);
  const time = clock(at, place);
  const words = where
    ? (isThere ? text.atIn : text.atWas)(time, where.zoneName.slice(0, 80))
    : text.atNowhere(time);
  return (
    <>
      <Group gap="sm">
        <Controls player={player} />
        <Text className="anything figures" fw={600}>
          {words}
        </Text>
      </Group>
      <div>
        <Strip stays={stays} day={day} on={where} />
        <input
          type="range"
          className={classes.range}
          aria-label={text.timeOfDay}
          aria-valuetext={words}
          min={day.from}
          max={day.to}
          step="any"
          value={at}
          onChange={(event) => setAt(Number(event.currentTarget.value))}
        />
      </div>
      {isThere && where && where.also.length > 0 && (
        <Text size="sm" c="dimmed" className="anything" lineClamp={3}>
          {text.alsoHeard(where.also.join(', '))}
        </Text>
      )}
      <details>
        <summary className={classes.summary}>{text.stays}</summary>
        <StayTable stays={stays} place={place} onGo={setAt} />
      </details>
    </>
  );
}

function Controls({ player }: { readonly player: ReturnType<typeof usePlayer> }) {
  const text = useText(floorText);
  const { isPlaying, toggle, speed, setSpeed } = player;
  const Icon = isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <>
      <ActionIcon size="lg" aria-label={isPlaying ? text.pause : text.play} onClick={toggle}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
      <Select
        aria-label={text.speed}
        data={speeds.map((one) => ({ value: String(one), label: text.perSecond(one) }))}
        value={String(speed)}
        onChange={(value) => setSpeed(Number(value))}
        allowDeselect={false}
        w={160}
        style={{ flexShrink: 0 }}
      />
    </>
  );
}

interface StripProps {
  readonly stays: readonly Stay[];
  readonly day: Span;
  readonly on: Stay | null;
}

function Strip({ stays, day, on }: StripProps) {
  const part = (ms: number) => `${(Math.max(0, ms) / (day.to - day.from)) * 100}%`;
  return (
    <div className={classes.strip} aria-hidden>
      {stays.map((stay) => (
        <div
          key={`${stay.from} ${stay.zoneId}`}
          className={classes.stay}
          data-on={on?.from === stay.from && on.zoneId === stay.zoneId}
          style={{ left: part(stay.from - day.from), width: part(stay.to - Math.max(stay.from, day.from)) }}
        />
      ))}
    </div>
  );
}
