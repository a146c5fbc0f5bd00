import { Anchor, Text } from '@mantine/core';
import { IconMap2 } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Zone } from '../../../contract/zone.ts';
import { homeOf, type Site, useSites, useZones } from '../../api/queries.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { shellText } from '../../text/shell.ts';
import { SiteZoneContext } from '../../time/when.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { FloorEditor } from './floor-editor.tsx';
import { FloorView } from './floor-view.tsx';
import { useFloor } from './queries.ts';
import { SiteChoice } from './site-choice.tsx';
import { useFloorAddress } from './use-floor-address.ts';

/** The plan of a site: what is where now, on another day, and where zones are drawn. */
export function FloorPage() {
  const text = useText(shellText);
  const sites = useSites();
  const zones = useZones();
  const { address } = useFloorAddress();
  const all = sites.data;
  const site = all?.find(({ id }) => id === address.site) ?? homeOf(all ?? []);
  if (!all || !zones.data)
    return (
      <Page title={text.floor}>
        <Loaded query={sites}>{() => <Loaded query={zones}>{() => null}</Loaded>}</Loaded>
      </Page>
    );
  const own = zones.data.filter(({ siteId }) => siteId === site?.id);
  if (!site || own.length === 0) return <Nothing site={site} sites={all} />;
  return (
    <SiteZoneContext value={site.timeZone}>
      <OneSite key={site.id} site={site} sites={all} zones={own} />
    </SiteZoneContext>
  );
}

function Nothing({ site, sites }: Pick<Props, 'sites'> & { readonly site: Site | undefined }) {
  const shell = useText(shellText);
  const text = useText(floorText);
  const { go } = useFloorAddress();
  return (
    <Page title={shell.floor} actions={site && <SiteChoice site={site} sites={sites} go={go} />}>
      <Empty icon={IconMap2} title={site ? text.noZones : text.noSites}>
        <Text size="sm">{text.noZonesHow}</Text>
        <Anchor component={Link} href={site ? `/setup/zones?site=${site.id}` : '/setup'}>
          {text.toZones}
        </Anchor>
      </Empty>
    </Page>
  );
}

interface Props {
  readonly site: Site;
  readonly sites: readonly Site[];
  readonly zones: readonly Zone[];
}

function OneSite({ site, sites, zones }: Props) {
  const shell = useText(shellText);
  const { address, go } = useFloorAddress();
  const floor = useFloor(site.id, address.edit !== '');
  if (!floor.data)
    return (
      <Page title={shell.floor}>
        <Loaded query={floor} loading={<Loading lines={1} height={420} />}>
          {() => null}
        </Loaded>
      </Page>
    );
  if (address.edit) return <FloorEditor site={site} floor={floor.data} zones={zones} go={go} />;
  return <FloorView site={site} sites={sites} zones={zones} floor={floor.data} />;
}
