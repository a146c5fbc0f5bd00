import { Anchor, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useMe } from '../api/queries.ts';
import { Shell } from '../shell/shell.tsx';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';
import { CrashGuard } from '../ui/crash-guard.tsx';
import { Loading } from '../ui/loading.tsx';
import { useKiosk } from './now/use-kiosk.ts';
import { Start } from './setup/start.tsx';

// Each page is a file of its own, loaded when it is first gone to.
const routes = [
  {
    path: '/setup/*?',
    page: lazy(() => import('./setup/setup-page.tsx').then((m) => ({ default: m.SetupPage }))),
  },
  { path: '/now', page: lazy(() => import('./now/now-page.tsx').then((m) => ({ default: m.NowPage }))) },
  { path: '/find', page: lazy(() => import('./find/find-page.tsx').then((m) => ({ default: m.FindPage }))) },
  {
    path: '/tags/*?',
    page: lazy(() => import('./tags/tags-page.tsx').then((m) => ({ default: m.TagsPage }))),
  },
  {
    path: '/readers/*?',
    page: lazy(() => import('./readers/readers-page.tsx').then((m) => ({ default: m.ReadersPage }))),
  },
  {
    path: '/radio',
    page: lazy(() => import('./radio/radio-page.tsx').then((m) => ({ default: m.RadioPage }))),
  },
  {
    path: '/assets/*?',
    page: lazy(() => import('./assets/assets-page.tsx').then((m) => ({ default: m.AssetsPage }))),
  },
  {
    path: '/floor',
    page: lazy(() => import('./floor/floor-page.tsx').then((m) => ({ default: m.FloorPage }))),
  },
  {
    path: '/alerts',
    page: lazy(() => import('./alerts/alerts-page.tsx').then((m) => ({ default: m.AlertsPage }))),
  },
  {
    path: '/admin/*?',
    page: lazy(() => import('./admin/admin-page.tsx').then((m) => ({ default: m.AdminPage }))),
  },
] as const;

function NotFound() {
  const text = useText(commonText);
  return (
    <Stack align="flex-start">
      <Text>{text.notFound}</Text>
      <Anchor component={Link} href="/now">
        {text.toStart}
      </Anchor>
    </Stack>
  );
}

function Routes() {
  const [location] = useLocation();
  return (
    <CrashGuard key={location.split('/')[1]}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {routes.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route path="/">
            <Start />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </CrashGuard>
  );
}

/** The pages, in their frame or (`?kiosk`, a wall screen) without. */
export function Pages() {
  const isKiosk = useKiosk();
  // Another person begins anew: forms hold what the one before has typed.
  const person = useMe().data?.id;
  return isKiosk ? (
    <Routes key={person} />
  ) : (
    <Shell>
      <Routes key={person} />
    </Shell>
  );
}
