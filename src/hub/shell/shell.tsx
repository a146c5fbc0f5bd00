import { Alert, AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, Suspense, startTransition, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useCanWrite } from '../api/queries.ts';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';
import { Loading } from '../ui/loading.tsx';
import { AccountButton } from './account-button.tsx';
import { FindBox } from './find-box.tsx';
import { later } from './later.ts';
import { LiveBadge } from './live-badge.tsx';
import { Navigation } from './navigation.tsx';

// What nobody sees at first comes after it.
const AccountMenu = later(() => import('./account-menu.tsx').then((m) => m.AccountMenu));

function Account() {
  const [isAsked, setAsked] = useState(false);
  return (
    <Suspense fallback={<AccountButton onClick={() => setAsked(true)} />}>
      <AccountMenu defaultOpened={isAsked} />
    </Suspense>
  );
}

function Header({ opened, toggle }: { readonly opened: boolean; readonly toggle: () => void }) {
  const text = useText(shellText);
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap">
      <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={text.menu} />
      <Text component={Link} href="/now" fw={700} c="inherit" td="none" visibleFrom="xs">
        Tagkeep
      </Text>
      <FindBox />
      <Group gap="xs" wrap="nowrap" ml="auto">
        <LiveBadge />
        <Account />
      </Group>
    </Group>
  );
}

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const text = useText(shellText);
  const common = useText(commonText);
  const canWrite = useCanWrite();
  // The frame, then the page: together they would hold up a slow phone for twice as long at a time.
  const [isFramed, setFramed] = useState(false);
  useEffect(() => startTransition(() => setFramed(true)), []);
  return (
    <>
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 208, breakpoint: 'md', collapsed: { mobile: !opened } }}
        padding={{ base: 'sm', sm: 'md' }}
      >
        <AppShell.Header>
          <Header opened={opened} toggle={toggle} />
        </AppShell.Header>
        <AppShell.Navbar p="xs" component="div">
          <Navigation onGo={close} />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          {!canWrite && (
            <Alert color="orange" mb="md">
              {common.readOnly}
            </Alert>
          )}
          {isFramed ? children : <Loading />}
        </AppShell.Main>
      </AppShell>
    </>
  );
}
