import { Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { InventorySummaryEntry } from '../../../contract/inventory.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { countIn, type Moves } from './moves.ts';
import { useHistory } from './queries.ts';
import classes from './zone-card.module.css';
import { ZoneCard } from './zone-card.tsx';

/** Fewer are seen at a glance. */
const FILTER_FROM = 16;

interface Props {
  readonly zones: readonly InventorySummaryEntry[];
  readonly moves: Moves;
  /** When the zones were answered, epoch ms. */
  readonly basis: number;
}

/** Every zone with its count. */
export function ZoneGrid({ zones, moves, basis }: Props) {
  const text = useText(nowText);
  const history = useHistory().data;
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const shown = zones.filter(({ zoneName }) => zoneName.toLowerCase().includes(wanted));
  return (
    <Stack component="section" gap="sm" aria-labelledby="zones">
      <Title order={2} size="h4" id="zones">
        {text.zones}
      </Title>
      {zones.length >= FILTER_FROM && (
        <TextInput
          aria-label={text.filter}
          placeholder={text.filter}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          maw={320}
        />
      )}
      {shown.length === 0 && <Text className="anything">{text.noneFits(filter.trim())}</Text>}
      <ul className={classes.grid} data-many={zones.length >= FILTER_FROM}>
        {shown.map(({ zoneId, zoneName, total, correlated }) => (
          <li key={zoneId}>
            <ZoneCard
              zoneId={zoneId}
              name={zoneName}
              count={countIn(total, zoneId, { moves, basis })}
              linked={correlated}
              changes={moves.changes.get(zoneId) ?? 0}
              history={history?.get(zoneId)}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}
