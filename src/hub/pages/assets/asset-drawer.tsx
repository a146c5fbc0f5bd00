import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { Custodian, LastSeen, MoveButton, Where } from './asset-cells.tsx';
import { AssetHistory } from './asset-history.tsx';
import { useAsset } from './asset-queries.ts';
import type { Ask } from './dialog.ts';
import { canChange } from './state.ts';
import { StatusBadge } from './status-badge.tsx';
import { useOpener } from './use-opener.ts';

interface Props {
  readonly id: string | null;
  /** A dialog is open over it. */
  readonly isCovered: boolean;
  readonly ask: Ask;
  readonly close: () => void;
}

/** One asset: what it is, where it is, what was done with it. */
export function AssetDrawer({ id, isCovered, ask, close }: Props) {
  // While it closes it still shows what it showed.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const shown = id ?? last;
  const giveFocusBack = useOpener(id !== null);
  return (
    <SideDrawer
      opened={id !== null}
      onClose={close}
      onClosed={giveFocusBack}
      isCovered={isCovered}
      size={520}
      title={shown && <Heading id={shown} />}
    >
      {shown && <Body key={shown} id={shown} ask={ask} />}
    </SideDrawer>
  );
}

function Heading({ id }: { readonly id: string }) {
  const asset = useAsset(id).data;
  const text = useText(assetsText);
  return (
    <Text component="span" fw={700} size="lg" className="anything">
      {asset?.name ?? text.title}
    </Text>
  );
}

function Body({ id, ask }: { readonly id: string; readonly ask: Ask }) {
  const query = useAsset(id);
  return (
    <Loaded query={query}>
      {(asset) => (
        <Stack gap="lg">
          <Facts asset={asset} />
          {canChange(asset) && <Actions asset={asset} ask={ask} />}
          <Place asset={asset} />
          <TagOf asset={asset} ask={ask} />
          <AssetHistory id={asset.id} />
        </Stack>
      )}
    </Loaded>
  );
}

function Facts({ asset }: { readonly asset: Asset }) {
  const text = useText(assetsText);
  return (
    <Stack gap="xs">
      <StatusBadge asset={asset} />
      <Text size="sm" c="dimmed" className="anything">
        {[asset.assetTagNumber, asset.category].filter(Boolean).join(' · ')}
      </Text>
      {asset.status === 'checked_out' && (
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            {text.checkedOutTo}
          </Text>
          <Custodian asset={asset} />
        </Stack>
      )}
    </Stack>
  );
}

function Actions({ asset, ask }: { readonly asset: Asset; readonly ask: Ask }) {
  const text = useText(assetActionsText);
  return (
    <Group gap="xs">
      <MoveButton asset={asset} ask={ask} size="sm" />
      <WriteButton variant="default" onClick={() => ask({ kind: 'edit', asset })}>
        {text.edit}
      </WriteButton>
      <WriteButton
        variant="subtle"
        color="red"
        ml="auto"
        onClick={() => ask({ kind: 'retire', assets: [asset] })}
      >
        {text.retire}
      </WriteButton>
    </Group>
  );
}

function Place({ asset }: { readonly asset: Asset }) {
  const text = useText(assetsText);
  if (!asset.epc) return null;
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {text.where}
      </Title>
      <Where asset={asset} />
      {asset.lastSeenAt && (
        <Text size="sm" c="dimmed" component="div">
          {text.lastSeen}: <LastSeen asset={asset} />
        </Text>
      )}
    </Stack>
  );
}

function TagOf({ asset, ask }: { readonly asset: Asset; readonly ask: Ask }) {
  const text = useText(assetsText);
  const actions = useText(assetActionsText);
  if (!asset.epc && !canChange(asset)) return null;
  return (
    <Stack gap={6} align="flex-start">
      <Title order={2} size="h5">
        {text.tag}
      </Title>
      {asset.epc ? (
        <Anchor component={Link} href={`/tags/${asset.epc}`} size="sm" className="code">
          {asset.epc}
        </Anchor>
      ) : (
        <Text size="sm">{text.tagNone}</Text>
      )}
      {canChange(asset) && (
        <Group gap="xs">
          <WriteButton
            size="compact-sm"
            variant={asset.epc ? 'default' : 'filled'}
            onClick={() => ask({ kind: 'link', asset })}
          >
            {asset.epc ? actions.replaceTag : actions.linkTag}
          </WriteButton>
          {asset.epc && (
            <WriteButton size="compact-sm" variant="default" onClick={() => ask({ kind: 'unlink', asset })}>
              {actions.unlink}
            </WriteButton>
          )}
        </Group>
      )}
    </Stack>
  );
}
