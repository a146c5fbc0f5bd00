import { Button, Stack, Text } from '@mantine/core';
import { IconBuildingWarehouse, IconDeviceTv } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { InventorySummaryEntry } from '../../../contract/inventory.ts';
import { useSummary } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { byName } from '../../ui/by-name.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AbsentCard } from './absent-card.tsx';
import { AlertsCard } from './alerts-card.tsx';
import { KioskPage } from './kiosk-page.tsx';
import { LastMoves } from './last-moves.tsx';
import classes from './now-page.module.css';
import { ReadersCard } from './readers-card.tsx';
import { useKiosk } from './use-kiosk.ts';
import { useMoves } from './use-moves.ts';
import { ZoneDrawer } from './zone-drawer.tsx';
import { ZoneGrid } from './zone-grid.tsx';

function NewSite() {
  const text = useText(nowText);
  return (
    <Empty icon={IconBuildingWarehouse} title={text.noZones}>
      <Text maw={480}>{text.noZonesHow}</Text>
      <Button component={Link} href="/setup">
        {text.setUp}
      </Button>
    </Empty>
  );
}

interface SiteProps {
  readonly zones: readonly InventorySummaryEntry[];
  readonly basis: number;
}

function Site({ zones, basis }: SiteProps) {
  const ordered = useMemo(() => byName(zones, ({ zoneName }) => zoneName), [zones]);
  const moves = useMoves(basis);
  const names = useMemo(() => new Map(zones.map(({ zoneId, zoneName }) => [zoneId, zoneName])), [zones]);
  return (
    <div className={classes.site}>
      <ZoneGrid zones={ordered} moves={moves} basis={basis} />
      <Stack gap="md" className={classes.side}>
        <ReadersCard />
        <AlertsCard />
        <AbsentCard />
      </Stack>
      <LastMoves moves={moves.last} names={names} />
      <ZoneDrawer names={names} />
    </div>
  );
}

function NowView() {
  const text = useText(nowText);
  const query = useSummary();
  const wall = (
    <Button
      component={Link}
      href="/now?kiosk"
      variant="default"
      leftSection={<IconDeviceTv size={18} aria-hidden />}
    >
      {text.wall}
    </Button>
  );
  return (
    <Page title={text.title} actions={wall}>
      <Loaded query={query}>
        {(zones) => (zones.length === 0 ? <NewSite /> : <Site zones={zones} basis={query.dataUpdatedAt} />)}
      </Loaded>
    </Page>
  );
}

/** What is where at this moment; `?kiosk` is the wall screen of it, `?zone=` opens a zone. */
export function NowPage() {
  return useKiosk() ? <KioskPage /> : <NowView />;
}
