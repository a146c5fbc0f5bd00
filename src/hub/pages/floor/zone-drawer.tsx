import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { Zone } from '../../../contract/zone.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import classes from './floor.module.css';
import { useInventory } from './queries.ts';

interface Props {
  readonly zone: Zone | undefined;
  readonly onClose: () => void;
  readonly onShow: (epc: string) => void;
}

/** A list of more than this is for the page of tags. */
const SHOWN_MAX = 100;
const NAME_MAX = 80;

/** What is in a zone now. */
export function ZoneDrawer({ zone, onClose, onShow }: Props) {
  const text = useText(floorText);
  return (
    <SideDrawer
      opened={zone !== undefined}
      onClose={onClose}
      size="md"
      title={text.inZone(zone?.name.slice(0, NAME_MAX) ?? '')}
    >
      {zone && <Tags zoneId={zone.id} onShow={onShow} />}
    </SideDrawer>
  );
}

function Tags({ zoneId, onShow }: { readonly zoneId: string; readonly onShow: Props['onShow'] }) {
  const text = useText(floorText);
  const shown = useCount();
  const query = useInventory(zoneId);
  return (
    <Loaded query={query}>
      {(tags) => (
        <Stack gap="xs">
          {tags.length === 0 && <Text>{text.emptyZone}</Text>}
          <ul className={classes.list}>
            {tags.slice(0, SHOWN_MAX).map(({ epc, label, lastSeenAt }) => (
              <li key={epc}>
                <Group justify="space-between" wrap="nowrap" gap="sm" py={6}>
                  <Anchor
                    component="button"
                    type="button"
                    ta="left"
                    lineClamp={2}
                    className={label ? 'anything' : 'code'}
                    title={text.showOnPlan(label ?? epc)}
                    onClick={() => onShow(epc)}
                  >
                    {label ?? epc}
                  </Anchor>
                  <Text size="sm" c="dimmed" component="div" style={{ flexShrink: 0 }}>
                    <When at={lastSeenAt} />
                  </Text>
                </Group>
              </li>
            ))}
          </ul>
          {tags.length > SHOWN_MAX && (
            <Text size="sm" c="dimmed">
              {text.moreTags(shown(tags.length - SHOWN_MAX))}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
