import { Anchor, Drawer, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Zone } from '../../../contract/zone.ts';
import { floorText } from '../../text/floor.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
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
  const isSmall = useMediaQuery('(max-width: 48em)');
  return (
    <Drawer
      opened={zone !== undefined}
      onClose={onClose}
      position="right"
      size={isSmall ? '100%' : 'md'}
      title={<span className="anything">{text.inZone(zone?.name.slice(0, NAME_MAX) ?? '')}</span>}
    >
      {zone && <Tags zoneId={zone.id} onShow={onShow} />}
    </Drawer>
  );
}

function Tags({ zoneId, onShow }: { readonly zoneId: string; readonly onShow: Props['onShow'] }) {
  const text = useText(floorText);
  const { language } = useLanguage();
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
              {text.moreTags(new Intl.NumberFormat(language).format(tags.length - SHOWN_MAX))}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
