import { Paper, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { useCount } from '../../time/numbers.ts';
import { Sparkline } from './sparkline.tsx';
import classes from './zone-card.module.css';

interface Props {
  readonly zoneId: string;
  readonly name: string;
  readonly count: number;
  readonly linked: number;
  /** How often it has changed while the page is open. */
  readonly changes: number;
  readonly history: readonly (number | null)[] | undefined;
}

/** A zone: its count, its last hour, and the way to what is in it. */
export const ZoneCard = memo(function ZoneCard({ zoneId, name, count, linked, changes, history }: Props) {
  const text = useText(nowText);
  const shown = useCount();
  return (
    <Paper withBorder component={Link} href={`/now?zone=${zoneId}`} className={classes.card} data-zone={name}>
      {changes > 0 && <span key={changes} className={classes.glow} aria-hidden />}
      <Text fw={600} lineClamp={2} className="anything" title={name}>
        {name}
      </Text>
      <div>
        <Text span className={`${classes.count} figures`}>
          {shown(count)}
        </Text>{' '}
        <Text span size="sm" c="dimmed">
          {text.tags(count, '').trim()}
        </Text>
        {linked > 0 && (
          <Text size="sm" c="dimmed">
            {text.linked(linked, shown(linked))}
          </Text>
        )}
      </div>
      {history && <Sparkline counts={history} words={(low, high) => text.hour(shown(low), shown(high))} />}
    </Paper>
  );
});
