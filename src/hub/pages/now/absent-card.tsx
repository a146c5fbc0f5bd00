import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { useAbsent } from './queries.ts';
import { Side } from './side.tsx';

const SHOWN = 6;

function One({ asset }: { readonly asset: Asset }) {
  const text = useText(nowText);
  const isMissing = asset.status === 'missing';
  const details = [
    asset.zoneName && text.lastIn(asset.zoneName),
    !isMissing && asset.custodian && text.heldBy(asset.custodian),
  ].filter(Boolean);
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" justify="space-between">
      <div>
        <Anchor component={Link} href={`/assets/${asset.id}`} size="sm" className="anything" lineClamp={2}>
          {asset.name}
        </Anchor>
        <Text size="sm" c="dimmed" className="anything" lineClamp={2}>
          {details.join(', ')}
        </Text>
      </div>
      <Badge variant="light" color={isMissing ? 'red' : 'orange'} tt="none" flex="none">
        {isMissing ? text.missing : text.overdue}
      </Badge>
    </Group>
  );
}

/** Assets nobody knows the place of, and those that should be back. */
export function AbsentCard() {
  const text = useText(nowText);
  return (
    <Side title={text.assets} id="absent">
      <Loaded query={useAbsent()}>
        {({ missing, overdue }) => {
          const all = [...missing, ...overdue];
          if (all.length === 0) return <Text size="sm">{text.noneMissing}</Text>;
          return (
            <Stack gap="xs">
              {all.slice(0, SHOWN).map((asset) => (
                <One key={asset.id} asset={asset} />
              ))}
              {all.length > SHOWN && (
                <Anchor component={Link} href="/assets" size="sm" py={2}>
                  {text.andMore(all.length - SHOWN)}
                </Anchor>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </Side>
  );
}
