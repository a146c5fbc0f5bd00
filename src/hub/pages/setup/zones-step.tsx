import { Badge, Button, Group, NumberInput, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Zone } from '../../../contract/zone.ts';
import { homeOf, useSites, useZones } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Loaded } from '../../ui/loaded.tsx';
import type { StepProps } from './step-props.ts';
import { ZoneDrafts } from './zone-drafts.tsx';
import { TEMPLATE_MAX, type ZoneDraft, zonesOf } from './zone-template.ts';

/** Zones from a template, changed to one's liking before they are made. */
export function ZonesStep({ next, isDone }: StepProps) {
  const text = useText(setupText);
  const zones = useZones();
  const { siteId, choice } = useSiteChoice();
  const [drafts, setDrafts] = useState<readonly ZoneDraft[]>([]);
  return (
    <Stack>
      <Text>{text.zonesWhy}</Text>
      {choice}
      <Loaded query={zones}>
        {(all) => {
          const known = all.filter((zone) => siteId === undefined || zone.siteId === siteId);
          return (
            <>
              {known.length > 0 && <KnownZones zones={known} />}
              {drafts.length === 0 && <TemplateForm key={siteId} zones={known} onPropose={setDrafts} />}
            </>
          );
        }}
      </Loaded>
      {drafts.length > 0 && (
        <ZoneDrafts siteId={siteId} drafts={drafts} onChange={setDrafts} onMade={() => next()} />
      )}
      {drafts.length === 0 && (
        <Group>
          <Button variant={isDone ? 'filled' : 'default'} onClick={() => next()}>
            {isDone ? text.next : text.skip}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The site the zones are for: `?site=`, else the oldest; to be chosen where there are several. */
function useSiteChoice() {
  const text = useText(setupText);
  const sites = useSites().data ?? [];
  const [params, setParams] = useSearchParams();
  const site = sites.find(({ id }) => id === params.get('site')) ?? homeOf(sites);
  const choice = sites.length > 1 && site && (
    <Select
      label={text.site}
      allowDeselect={false}
      maw={420}
      data={sites.map(({ id, name }) => ({ value: id, label: name }))}
      value={site.id}
      onChange={(id) => id && setParams({ site: id }, { replace: true })}
    />
  );
  return { siteId: site?.id, choice };
}

function KnownZones({ zones }: { readonly zones: readonly Zone[] }) {
  const text = useText(setupText);
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {text.zonesThere}
      </Title>
      <Group component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {zones.map(({ id, name, kind }) => (
          <li key={id}>
            <Badge variant="light" color="gray" size="lg" tt="none" maw="100%">
              <span className="anything">{name}</span> · {text.kinds[kind]}
            </Badge>
          </li>
        ))}
      </Group>
    </div>
  );
}

interface FormProps {
  readonly zones: readonly Zone[];
  readonly onPropose: (drafts: readonly ZoneDraft[]) => void;
}

const numberOf = (value: number | string): number => (typeof value === 'number' ? value : 0);

function TemplateForm({ zones, onPropose }: FormProps) {
  const text = useText(setupText);
  const isFirst = zones.length === 0;
  const [doors, setDoors] = useState<number | string>(isFirst ? 2 : 0);
  const [shelves, setShelves] = useState<number | string>(isFirst ? 2 : 0);
  const [hasStaging, setStaging] = useState(isFirst);
  const names = { door: text.door, shelf: text.shelf, staging: text.stagingName };
  const wanted = { doors: numberOf(doors), shelves: numberOf(shelves), hasStaging, ...names };
  const proposal = zonesOf(
    wanted,
    zones.map(({ name }) => name),
  );
  const counts = { min: 0, max: TEMPLATE_MAX, allowDecimal: false, w: 140 };
  return (
    <Stack align="flex-start">
      <Group align="flex-end">
        <NumberInput label={text.doors} {...counts} value={doors} onChange={setDoors} />
        <NumberInput label={text.shelves} {...counts} value={shelves} onChange={setShelves} />
        <Switch
          label={text.staging}
          checked={hasStaging}
          pb={8}
          onChange={(event) => setStaging(event.currentTarget.checked)}
        />
      </Group>
      <Button
        variant={isFirst ? 'filled' : 'default'}
        onClick={() => onPropose(proposal)}
        disabled={proposal.length === 0}
      >
        {text.propose}
      </Button>
    </Stack>
  );
}
