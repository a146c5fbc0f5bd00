import { Alert, Button, Group } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useIsAdmin } from '../../api/queries.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { Page } from '../../ui/page.tsx';
import { AuditLog } from './audit-log.tsx';
import { Backups } from './backups.tsx';
import { Health } from './health.tsx';
import { Keys } from './keys.tsx';
import { LicencePart } from './licence-part.tsx';
import { OwnPassword } from './own-password.tsx';
import { Settings } from './settings.tsx';
import { Users } from './users.tsx';
import { Webhooks } from './webhooks.tsx';

const parts = {
  health: Health,
  users: Users,
  keys: Keys,
  webhooks: Webhooks,
  audit: AuditLog,
  backups: Backups,
  licence: LicencePart,
  settings: Settings,
} as const;
// Object.keys forgets the names.
const names = Object.keys(parts) as (keyof typeof parts)[];

function PartLinks({ here }: { readonly here: string }) {
  const text = useText(adminText);
  return (
    <Group component="nav" gap={4} aria-label={text.parts}>
      {names.map((name) => (
        <Button
          key={name}
          component={Link}
          href={`/admin/${name}`}
          size="compact-md"
          fw={name === here ? 600 : 400}
          variant={name === here ? 'light' : 'subtle'}
          color={name === here ? 'petrol' : 'gray'}
          aria-current={name === here ? 'page' : undefined}
        >
          {text.part[name]}
        </Button>
      ))}
    </Group>
  );
}

/** What administrators see to, each part at its own address; everybody's own password is at /admin/password. */
export function AdminPage() {
  const text = useText(adminText);
  const [location] = useLocation();
  const isAdmin = useIsAdmin();
  const wanted = location.split('/')[2] ?? '';
  const here = names.find((name) => name === wanted) ?? 'health';
  const Part = parts[here];
  if (!isAdmin || wanted === 'password')
    return (
      <Page title={wanted === 'password' ? text.part.password : text.title}>
        {wanted !== 'password' && (
          <Alert title={text.adminsOnly} color="gray" maw={640}>
            {text.adminsOnlyWhy}
          </Alert>
        )}
        <OwnPassword />
      </Page>
    );
  return (
    <Page title={text.title}>
      <PartLinks here={here} />
      <Part />
    </Page>
  );
}
