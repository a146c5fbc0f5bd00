import { Button, Group, Text, Timeline } from '@mantine/core';
import { useState } from 'react';
import type { Visit } from '../../../contract/visit.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagText } from '../../text/tags.ts';
import { clock, short } from '../../time/format.ts';
import { usePlace, When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useTagVisits } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';

const STEP = 8;

function Stay({ visit }: { readonly visit: Visit }) {
  const text = useText(tagText);
  const place = usePlace();
  const [from, to] = [Date.parse(visit.firstSeenAt), Date.parse(visit.lastSeenAt)];
  const reader = visit.readerName ?? text.gone;
  const port = visit.antennaPort === undefined ? '' : `, ${text.port(visit.antennaPort)}`;
  return (
    <>
      <Text size="sm" className="figures">
        {text.stay(short(from, place), clock(to, place))} (<When at={visit.lastSeenAt} />)
      </Text>
      <Text size="xs" c="dimmed" className="anything">
        {reader}
        {port} · {text.reads(visit.reads)}
      </Text>
    </>
  );
}

function Trail({ visits }: { readonly visits: readonly Visit[] }) {
  const text = useText(tagText);
  const common = useText(commonText);
  const [shown, setShown] = useState(STEP);
  if (visits.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {text.noTrail}
      </Text>
    );
  return (
    <>
      <Timeline bulletSize={14} lineWidth={2} active={0}>
        {visits.slice(0, shown).map((visit) => (
          <Timeline.Item
            key={`${visit.firstSeenAt} ${visit.readerId} ${visit.antennaPort}`}
            title={<span className="anything">{visit.zoneName ?? text.unmapped}</span>}
          >
            <Stay visit={visit} />
          </Timeline.Item>
        ))}
      </Timeline>
      {visits.length > shown && (
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => setShown(shown + STEP * 4)}>
            {common.more}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Where the tag was, newest first. */
export function TagTrail({ epc }: { readonly epc: string }) {
  const text = useText(tagText);
  const visits = useTagVisits(epc);
  return (
    <TagSection title={text.trail}>
      <Loaded query={visits}>{(data) => <Trail visits={data ?? []} />}</Loaded>
    </TagSection>
  );
}
