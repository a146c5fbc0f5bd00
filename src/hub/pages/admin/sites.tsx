import { Anchor, Table } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { type Site, useSites } from '../../api/queries.ts';
import { adminText } from '../../text/admin.ts';
import { systemText } from '../../text/admin-system.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { WideTable } from '../../ui/wide-table.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { Section } from './section.tsx';
import { SiteForm } from './site-form.tsx';

/** Sites with their time zones; the one that is open is in the address. */
export function Sites() {
  const text = useText(systemText);
  const admin = useText(adminText);
  const sites = useSites();
  const [location, go] = useLocation();
  const open = location.split('/')[3];
  const close = () => go('/admin/settings');
  const site = sites.data?.find(({ id }) => id === open);
  const isNew = open === 'new-site';
  return (
    <Section
      title={text.sites}
      about={text.sitesAbout}
      order={3}
      actions={
        <WriteButton
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => go('/admin/settings/new-site')}
        >
          {text.addSite}
        </WriteButton>
      }
    >
      <Loaded query={sites}>{(all) => <SiteTable sites={all} />}</Loaded>
      <SideDrawer
        opened={Boolean(open) && (isNew || sites.data !== undefined)}
        onClose={close}
        title={isNew ? text.addSite : (site?.name ?? text.site)}
      >
        {isNew || site ? <SiteForm key={open} site={site ?? null} onDone={close} /> : open && admin.gone}
      </SideDrawer>
    </Section>
  );
}

function SiteTable({ sites }: { readonly sites: readonly Site[] }) {
  const text = useText(systemText);
  const common = useText(commonText);
  return (
    <WideTable label={text.sites} heads={[common.name, text.zone, text.since]} minWidth={420}>
      {sites.map(({ id, name, timeZone, createdAt }) => (
        <Table.Tr key={id}>
          <Table.Td maw={420}>
            <Anchor component={Link} size="sm" href={`/admin/settings/${id}`} className="anything">
              {name}
            </Anchor>
          </Table.Td>
          <Table.Td>{timeZone}</Table.Td>
          <Table.Td>
            <When at={createdAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}
