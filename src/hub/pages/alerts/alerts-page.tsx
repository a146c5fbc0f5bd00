import { Tabs } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useOpenAlerts } from '../../api/queries.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/language.ts';
import { Page } from '../../ui/page.tsx';
import { AlertList } from './alert-list.tsx';
import { Announcer } from './announcer.tsx';
import type { State } from './use-alerts.ts';

const states = ['open', 'acked', 'resolved'] as const satisfies readonly State[];

/** What asks for attention: open first, then what somebody takes care of, then what is over. */
export function AlertsPage() {
  const text = useText(alertsText);
  const [search, setSearch] = useSearchParams();
  const state = states.find((one) => one === search.get('state')) ?? 'open';
  const open = useOpenAlerts().data?.length ?? 0;
  return (
    <Page title={text.title}>
      <Announcer />
      <Tabs
        value={state}
        onChange={(value) => setSearch({ state: value ?? 'open' }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List aria-label={text.states}>
          {states.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {one === 'open' && open > 0 ? `${text.open} (${open})` : text[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {states.map((one) => (
          <Tabs.Panel key={one} value={one} pt="md">
            <AlertList state={one} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
