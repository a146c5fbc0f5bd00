import { Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { decimal } from '../../time/numbers.ts';
import 'uplot/dist/uPlot.min.css';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { clock } from '../../time/format.ts';
import { usePlace } from '../../time/when.tsx';

interface Props {
  readonly title: string;
  /** ISO 8601, oldest first. */
  readonly at: readonly string[];
  /** One for each of `at`; null where it is not known. */
  readonly values: readonly (number | null)[];
}

const HEIGHT = 160;
const SECOND_MS = 1000;

const colorsOf = (isDark: boolean) =>
  isDark
    ? {
        line: '#76c0c6',
        fill: 'rgba(118, 192, 198, 0.15)',
        text: '#c9c9c9',
        grid: 'rgba(255, 255, 255, 0.1)',
      }
    : { line: '#0b6a72', fill: 'rgba(11, 106, 114, 0.1)', text: '#495057', grid: 'rgba(0, 0, 0, 0.08)' };

/** A figure over the last hour. The picture follows width, appearance and the site's zone; its sense is there in words too. */
export function TimeChart({ title, at, values }: Props) {
  const { ref: box, width } = useElementSize();
  const canvas = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isDark = useComputedColorScheme('light') === 'dark';
  const { language, timeZone } = usePlace();
  const latest = useRef<uPlot.AlignedData>([[], []]);
  latest.current = [at.map((one) => Date.parse(one) / SECOND_MS), [...values]];
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const time = (seconds: number) => clock(seconds * SECOND_MS, { language, timeZone });
    const made = new uPlot(optionsOf({ width, isDark, time }), latest.current, canvas.current);
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [width, isDark, language, timeZone]);
  useEffect(() => {
    plot.current?.setData([at.map((one) => Date.parse(one) / SECOND_MS), [...values]]);
  }, [at, values]);
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <div ref={box}>
        <div ref={canvas} aria-hidden />
      </div>
      <Summary values={values} />
    </figure>
  );
}

function Summary({ values }: Pick<Props, 'values'>) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const shown = (value: number) => decimal(value, language, 1);
  return (
    <Text size="sm" c="dimmed" className="figures">
      {text.chartSays(shown(last), shown(Math.max(...known)))}
    </Text>
  );
}

interface Look {
  readonly width: number;
  readonly isDark: boolean;
  readonly time: (seconds: number) => string;
}

function optionsOf({ width, isDark, time }: Look): uPlot.Options {
  const { line, fill, text, grid } = colorsOf(isDark);
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.15 : 1] } },
    series: [{}, { stroke: line, fill, width: 2, points: { show: false } }],
    axes: [
      { ...axis, size: 26, values: (_, splits) => splits.map(time) },
      { ...axis, size: 44 },
    ],
  };
}
