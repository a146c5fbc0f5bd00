import { Group, Stack, Tabs, Text, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { isEdited } from './antenna-draft.ts';
import { AntennasTab } from './antennas-tab.tsx';
import { CommandsTab } from './commands-tab.tsx';
import { keepDraft, useDraft } from './drafts.ts';
import { HealthTab } from './health-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { Rate } from './reader-card.tsx';
import { StartStop } from './start-stop.tsx';
import { StatusBadge } from './status-badge.tsx';

const tabs = {
  overview: OverviewTab,
  antennas: AntennasTab,
  health: HealthTab,
  commands: CommandsTab,
} as const;
type TabName = keyof typeof tabs;
const tabNames = ['overview', 'antennas', 'health', 'commands'] as const satisfies readonly TabName[];

interface Props {
  /** Null: none is open. */
  readonly id: string | null;
  readonly tab: string | undefined;
  readonly readers: UseQueryResult<Reader[]>;
}

/** One reader, beside the wall: its tab is in the address. Closing it with unsaved settings asks before. */
export function ReaderDrawer({ id, tab, readers }: Props) {
  const text = useText(readersText);
  const [, navigate] = useLocation();
  const [isLeaving, setLeaving] = useState(false);
  // While it closes it still shows what it showed, and gives the focus back to what opened it.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const shown = id ?? last ?? '';
  const hasDraft = isEdited(useDraft(shown));
  const reader = readers.data?.find((one) => one.id === shown);
  const close = () => (hasDraft ? setLeaving(true) : navigate('/readers'));
  const leave = () => {
    keepDraft(shown, {});
    setLeaving(false);
    navigate('/readers');
  };
  return (
    <SideDrawer opened={id !== null} onClose={close} size={820} title={<DrawerTitle reader={reader} />}>
      <Loaded query={readers}>
        {() => (reader ? <ReaderTabs reader={reader} tab={tab} /> : <Text>{text.gone}</Text>)}
      </Loaded>
      <Confirm
        opened={isLeaving}
        onClose={() => setLeaving(false)}
        title={text.leave}
        action={text.discard}
        onConfirm={leave}
      >
        {text.leaveWhat}
      </Confirm>
    </SideDrawer>
  );
}

function DrawerTitle({ reader }: { readonly reader: Reader | undefined }) {
  if (!reader) return <VisuallyHidden>–</VisuallyHidden>;
  return (
    <Group gap="sm">
      <Text component="span" fw={600} size="lg" className="anything" dir="auto" lineClamp={2}>
        {reader.name}
      </Text>
      <StatusBadge status={reader.displayStatus} />
    </Group>
  );
}

function ReaderTabs({ reader, tab }: { readonly reader: Reader; readonly tab: string | undefined }) {
  const text = useText(readersText);
  const [, navigate] = useLocation();
  const named = tabNames.find((name) => name === tab) ?? 'overview';
  const Panel = tabs[named];
  return (
    <Stack>
      <Group justify="space-between">
        <Rate readerId={reader.id} />
        <StartStop reader={reader} />
      </Group>
      <Tabs
        value={named}
        keepMounted={false}
        onChange={(name) => navigate(`/readers/${reader.id}/${name}`, { replace: true })}
      >
        <Tabs.List mb="md">
          {tabNames.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {text.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabNames.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === named && <Panel reader={reader} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
