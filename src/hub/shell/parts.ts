const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  now: () => import('../pages/now/now-page.tsx'),
  find: () => import('../pages/find/find-page.tsx'),
  tags: () => import('../pages/tags/tags-page.tsx'),
  readers: () => import('../pages/readers/readers-page.tsx'),
  radio: () => import('../pages/radio/radio-page.tsx'),
  assets: () => import('../pages/assets/assets-page.tsx'),
  floor: () => import('../pages/floor/floor-page.tsx'),
  alerts: () => import('../pages/alerts/alerts-page.tsx'),
  admin: () => import('../pages/admin/admin-page.tsx'),
  setup: () => import('../pages/setup/setup-page.tsx'),
  login: () => import('./login.tsx'),
};

/** Settled when the part of the view at this path is there, or will not come; at once for one that is not named here. Never fails. */
export async function partOf(pathname: string): Promise<void> {
  const [, view = ''] = pathname.split('/', 2);
  await parts[view || 'now']?.().catch(() => undefined);
}
