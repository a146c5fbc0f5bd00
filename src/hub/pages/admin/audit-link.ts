const pages: Readonly<Record<string, string>> = {
  readers: '/readers',
  assets: '/assets',
  tags: '/tags',
  users: '/admin/users',
  webhooks: '/admin/webhooks',
  'api-keys': '/admin/keys',
  license: '/admin/licence',
  sites: '/admin/settings',
  organisations: '/admin/settings',
  zones: '/floor',
  alerts: '/alerts',
  system: '/admin/backups',
};
const withDetail = new Set(['readers', 'assets', 'tags', 'users', 'webhooks']);

/** Where in the hub a resource of the audit log is; null when nowhere. Nothing of it but plain ids gets into the address. */
export function pageOfResource(resource: string): string | null {
  const [noun = '', id = ''] = resource.split('/');
  const page = Object.hasOwn(pages, noun) ? pages[noun] : undefined;
  if (page === undefined) return null;
  return withDetail.has(noun) && /^[\w-]+$/.test(id) ? `${page}/${id}` : page;
}
