import { Button, Group, Stack, Text } from '@mantine/core';
import { IconMap2 } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { TagLocation } from '../../../contract/tag-location.ts';
import { useAfterMoves } from '../../live/use-after-moves.ts';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import classes from './find.module.css';
import { SureLine } from './sure-line.tsx';
import { TrailList } from './trail-list.tsx';

function Facts({ location }: { readonly location: TagLocation }) {
  const text = useText(findText);
  return (
    <dl className={classes.facts}>
      {location.since && (
        <div>
          <dt>{text.since}</dt>
          <dd>
            <When at={location.since} />
          </dd>
        </div>
      )}
      <div>
        <dt>{text.lastRead}</dt>
        <dd>{location.lastSeenAt ? <When at={location.lastSeenAt} /> : text.never}</dd>
      </div>
      <div className={classes.sure}>
        <dt>{text.sure}</dt>
        <dd>
          <SureLine location={location} />
        </dd>
      </div>
    </dl>
  );
}

interface Props {
  readonly location: TagLocation;
  readonly assetId: string | null;
}

/** Where a tag is, in big words, how sure that is, and where it was. Follows the tag as it moves. */
export function Place({ location, assetId }: Props) {
  const text = useText(findText);
  const client = useQueryClient();
  const { epc, zoneName, present } = location;
  useAfterMoves(
    (move) => move.epc === epc,
    () => void client.invalidateQueries({ queryKey: ['tags', epc] }),
  );
  return (
    <Stack gap="lg">
      <div role="status" data-place>
        <Text size="sm" c="dimmed">
          {present || !zoneName ? text.whereNow : text.wasLast}
        </Text>
        <Text className={`${classes.place} anything`} lineClamp={4} title={zoneName ?? ''}>
          {zoneName ?? text.nowhere}
        </Text>
      </div>
      <Facts location={location} />
      <Group gap="xs">
        <Button component={Link} href={`/floor?epc=${epc}`} leftSection={<IconMap2 size={18} aria-hidden />}>
          {text.onFloor}
        </Button>
        <Button component={Link} href={`/tags/${epc}`} variant="default">
          {text.toTag}
        </Button>
        {assetId && (
          <Button component={Link} href={`/assets/${assetId}`} variant="default">
            {text.toAsset}
          </Button>
        )}
      </Group>
      <TrailList location={location} />
    </Stack>
  );
}
