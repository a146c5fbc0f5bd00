import { Alert, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { CallError } from '../../api/problem.ts';
import { useSummary } from '../../api/queries.ts';
import { useAfterMoves } from '../../live/use-after-moves.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { useCount } from '../../time/numbers.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { useZoneInventory } from './queries.ts';
import { ZoneTable } from './zone-table.tsx';

function Present({ zoneId }: { readonly zoneId: string }) {
  const text = useText(nowText);
  const shown = useCount();
  const client = useQueryClient();
  const query = useZoneInventory(zoneId);
  const total = useSummary().data?.find((zone) => zone.zoneId === zoneId)?.total ?? 0;
  useAfterMoves(
    ({ fromZoneId, toZoneId }) => fromZoneId === zoneId || toZoneId === zoneId,
    () => void client.invalidateQueries({ queryKey: ['zones', zoneId, 'inventory'] }),
  );
  if (query.error instanceof CallError && query.error.status === 404) return <Text>{text.zoneGone}</Text>;
  return (
    <Loaded query={query}>
      {({ items, isCut }) => (
        <Stack gap="sm">
          <Text c="dimmed" size="sm" role="status" className="figures">
            {text.present}:{' '}
            {text.tags(items.length, shown(isCut ? Math.max(total, items.length) : items.length))}
          </Text>
          {isCut && (
            <Alert color="orange">
              {text.cut(shown(items.length), shown(Math.max(total, items.length)))}
            </Alert>
          )}
          {items.length === 0 ? <Text>{text.zoneEmpty}</Text> : <ZoneTable tags={items} />}
        </Stack>
      )}
    </Loaded>
  );
}

/** The tags in the zone that `?zone=` names, beside the page. `names` are the zones' by id. */
export function ZoneDrawer({ names }: { readonly names: ReadonlyMap<string, string> }) {
  const [, go] = useLocation();
  const zoneId = new URLSearchParams(useSearch()).get('zone');
  return (
    <SideDrawer
      opened={zoneId !== null}
      onClose={() => go('/now')}
      size="lg"
      title={
        <Text span fw={600} size="lg" lineClamp={2} className="anything">
          {names.get(zoneId ?? '') ?? ''}
        </Text>
      }
    >
      {zoneId !== null && <Present key={zoneId} zoneId={zoneId} />}
    </SideDrawer>
  );
}
