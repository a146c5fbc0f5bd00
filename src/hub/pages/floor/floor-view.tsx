import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import type { Zone } from '../../../contract/zone.ts';
import { type Site, useSummary } from '../../api/queries.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { shellText } from '../../text/shell.ts';
import { dateIn } from '../../time/wall-clock.ts';
import { Page } from '../../ui/page.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { keptWork } from './drafts.ts';
import classes from './floor.module.css';
import { gridOf } from './geometry.ts';
import { PlanActions, UploadState, usePlanUpload } from './plan-actions.tsx';
import { PlanFrame } from './plan-frame.tsx';
import { Playback } from './playback.tsx';
import { useFresh, useLocationOf } from './queries.ts';
import { SiteChoice } from './site-choice.tsx';
import { TagBar } from './tag-bar.tsx';
import { TagSearch } from './tag-search.tsx';
import { type GoOnFloor, useFloorAddress } from './use-floor-address.ts';
import { ZoneDrawer } from './zone-drawer.tsx';
import { ZoneList } from './zone-list.tsx';
import { AntennaMarks, type Lit, ZoneShapes } from './zone-shapes.tsx';

interface Props {
  readonly site: Site;
  readonly sites: readonly Site[];
  readonly zones: readonly Zone[];
  readonly floor: Floor;
}

/** The plan with what is where: now, or (`?day=`) where one tag was on a day. */
export function FloorView({ site, sites, zones, floor }: Props) {
  const shell = useText(shellText);
  const { address, go } = useFloorAddress();
  const [played, setPlayed] = useState<Lit | null>(null);
  useFresh(address.epc);
  const location = useLocationOf(address.epc);
  const isPlaying = address.epc !== '' && address.day !== '';
  const lit = isPlaying ? played : litBy(location.data);
  const planUpload = usePlanUpload(site.id);
  const today = () => dateIn(Date.now(), site.timeZone);
  return (
    <Page
      title={shell.floor}
      actions={
        <>
          <PlanActions siteId={site.id} hasPlan={floor.plan !== null} upload={planUpload} />
          <DrawButton go={go} />
        </>
      }
    >
      <Stack gap="md">
        <UploadState {...planUpload} />
        <Unsaved siteId={site.id} go={go} />
        <Group gap="sm">
          <TagSearch epc={address.epc} onChoose={(epc) => go({ epc, day: '' })} />
          <SiteChoice site={site} sites={sites} go={go} />
        </Group>
        {address.epc !== '' && !isPlaying && (
          <TagBar epc={address.epc} query={location} onPlay={() => go({ day: today() })} />
        )}
        {isPlaying && (
          <Playback
            key={`${address.epc} ${address.day}`}
            epc={address.epc}
            date={address.day}
            timeZone={site.timeZone}
            onLit={setPlayed}
            go={go}
          />
        )}
        <PlanAndList zones={zones} floor={floor} siteId={site.id} lit={lit} isNow={!isPlaying} />
      </Stack>
    </Page>
  );
}

function litBy(location: { zoneId: string | null; present: boolean } | undefined): Lit | null {
  return location?.zoneId ? { zoneId: location.zoneId, isThere: location.present } : null;
}

interface PlanProps {
  readonly zones: readonly Zone[];
  readonly floor: Floor;
  readonly siteId: string;
  readonly lit: Lit | null;
  readonly isNow: boolean;
}

function PlanAndList({ zones, floor, siteId, lit, isNow }: PlanProps) {
  const text = useText(floorText);
  const { address, go } = useFloorAddress();
  const summary = useSummary().data;
  const counts = useMemo(
    () => (isNow && summary ? new Map(summary.map(({ zoneId, total }) => [zoneId, total])) : null),
    [summary, isNow],
  );
  const names = useMemo(() => new Map(zones.map(({ id, name }) => [id, name])), [zones]);
  const isGrid = floor.plan === null && floor.zones.length === 0;
  const shapes = isGrid ? gridOf(zones.map(({ id }) => id)) : floor.zones;
  const drawn = new Set(shapes.map(({ zoneId }) => zoneId));
  const open = (zone: string) => go({ zone });
  return (
    <>
      <div className={classes.columns}>
        <Stack gap={4}>
          <PlanFrame siteId={siteId} plan={floor.plan}>
            <ZoneShapes zones={shapes} names={names} counts={counts} lit={lit} onOpen={open} />
            <AntennaMarks antennas={floor.antennas} />
          </PlanFrame>
          <Text size="xs" c="dimmed">
            {floor.plan === null && `${isGrid ? text.noPlan : text.noPlanDrawn} `}
            {text.help}
          </Text>
        </Stack>
        <ZoneList zones={zones} drawn={drawn} counts={counts} lit={lit} onOpen={open} />
      </div>
      <ZoneDrawer
        zone={zones.find(({ id }) => id === address.zone)}
        onClose={() => go({ zone: '' })}
        onShow={(epc) => go({ zone: '', epc, day: '' })}
      />
    </>
  );
}

function DrawButton({ go }: { readonly go: GoOnFloor }) {
  const text = useText(floorText);
  return (
    <WriteButton
      leftSection={<IconPencil size={16} aria-hidden />}
      onClick={() => go({ edit: '1', epc: '', day: '', zone: '' })}
    >
      {text.draw}
    </WriteButton>
  );
}

function Unsaved({ siteId, go }: { readonly siteId: string; readonly go: GoOnFloor }) {
  const text = useText(floorText);
  if (!keptWork(siteId)) return null;
  return (
    <Alert color="orange">
      <Group justify="space-between">
        <Text size="sm">{text.unsaved}</Text>
        <WriteButton size="compact-sm" variant="default" onClick={() => go({ edit: '1' })}>
          {text.goOn}
        </WriteButton>
      </Group>
    </Alert>
  );
}
