import { Badge, NavLink } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useIsAdmin, useOpenAlerts } from '../api/queries.ts';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';
import { places } from './places.ts';

function AlertCount() {
  const text = useText(shellText);
  const count = useOpenAlerts().data?.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge color="red" variant="light" size="sm" tt="none">
      {text.openAlerts(count)}
    </Badge>
  );
}

/** The way to every page. `onGo` closes the drawer of small screens. */
export function Navigation({ onGo }: { readonly onGo: () => void }) {
  const text = useText(shellText);
  const [location] = useLocation();
  const isAdmin = useIsAdmin();
  return (
    <nav aria-label={text.navigation}>
      {places
        .filter(({ name }) => name !== 'admin' || isAdmin)
        .map(({ path, name, icon: Icon }) => {
          const isHere = location === path || location.startsWith(`${path}/`);
          return (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={text[name]}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              leftSection={<Icon size={20} aria-hidden />}
              rightSection={name === 'alerts' ? <AlertCount /> : undefined}
              onClick={onGo}
            />
          );
        })}
    </nav>
  );
}
