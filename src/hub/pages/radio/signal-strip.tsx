import { Group, Text } from '@mantine/core';
import type { AntennaReads } from '../../../contract/radio.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { dbm } from './figures.ts';
import classes from './radio.module.css';
import { inSpan, strengthOf } from './strength.ts';

const WIDTH = 200;
const HEIGHT = 18;

/** The signals of an antenna: all of them as a line, most of them as a box, the middle one as a mark; and in words. */
export function Signal({ antenna }: { readonly antenna: AntennaReads }) {
  const text = useText(radioText);
  const { language } = useLanguage();
  const { rssiCdbm } = antenna;
  const word = text.strength[strengthOf(antenna)];
  if (!rssiCdbm)
    return (
      <Text size="sm" c="dimmed">
        {word}
      </Text>
    );
  const words = [rssiCdbm.p10, rssiCdbm.p90, rssiCdbm.p50].map((one) => dbm(one, language));
  return (
    <>
      <Strip rssi={rssiCdbm} words={text.signalWords(words[0] ?? '', words[1] ?? '', words[2] ?? '')} />
      <Group gap={6} wrap="nowrap">
        <Text size="xs" className="figures" style={{ whiteSpace: 'nowrap' }}>
          {words[2]}
        </Text>
        <Text size="xs" c="dimmed">
          {word}
        </Text>
      </Group>
    </>
  );
}

interface StripProps {
  readonly rssi: NonNullable<AntennaReads['rssiCdbm']>;
  readonly words: string;
}

function Strip({ rssi, words }: StripProps) {
  const x = (cdbm: number) => inSpan(cdbm) * WIDTH;
  const middle = HEIGHT / 2;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes.strip}
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <line x1={0} x2={WIDTH} y1={middle} y2={middle} className={classes.rail} />
      <line x1={x(rssi.min)} x2={x(rssi.max)} y1={middle} y2={middle} className={classes.whisker} />
      <rect
        x={x(rssi.p10)}
        y={3}
        width={Math.max(2, x(rssi.p90) - x(rssi.p10))}
        height={HEIGHT - 6}
        rx={2}
        className={classes.box}
      />
      <line x1={x(rssi.p50)} x2={x(rssi.p50)} y1={1} y2={HEIGHT - 1} className={classes.middle} />
    </svg>
  );
}
