import { Stack, Text } from '@mantine/core';
import type { Asset } from '../../../contract/asset.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import type { Ask } from './dialog.ts';
import { canCheckIn, canCheckOut } from './state.ts';
import { useCheckIn } from './use-asset-actions.ts';
import { useLivePlace } from './use-live-place.ts';

interface OfAsset {
  readonly asset: Asset;
}

/** Who has it and until when; nothing while it is in. */
export function Custodian({ asset }: OfAsset) {
  const text = useText(assetsText);
  if (asset.status !== 'checked_out') return null;
  return (
    <Stack gap={0}>
      <Text size="sm" className="anything" lineClamp={2} title={asset.custodian}>
        {asset.custodian ?? text.someone}
      </Text>
      {asset.expectedReturnAt && (
        <Text size="xs" c="dimmed" component="span">
          {text.due} <When at={asset.expectedReturnAt} />
        </Text>
      )}
    </Stack>
  );
}

/** The zone it is in, and since when; it follows the stream. */
export function Where({ asset }: OfAsset) {
  const text = useText(assetsText);
  const { zoneName, inZoneSince } = useLivePlace(asset);
  if (!zoneName)
    return (
      <Text size="sm" c="dimmed">
        {asset.epc ? text.notSeen : text.noTag}
      </Text>
    );
  return (
    <Stack gap={0}>
      <Text size="sm" className="anything" lineClamp={2} title={zoneName}>
        {zoneName}
      </Text>
      {inZoneSince && (
        <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: 'nowrap' }}>
          {text.since} <When at={inZoneSince} />
        </Text>
      )}
    </Stack>
  );
}

/** When its tag was last read; it follows the stream. */
export function LastSeen({ asset }: OfAsset) {
  const { lastSeenAt } = useLivePlace(asset);
  return lastSeenAt ? (
    <Text size="sm" component="span">
      <When at={lastSeenAt} />
    </Text>
  ) : null;
}

interface MoveProps extends OfAsset {
  readonly ask: Ask;
  readonly size?: 'compact-sm' | 'sm';
}

/** The one thing that is done with an asset day by day: out or in. */
export function MoveButton({ asset, ask, size = 'compact-sm' }: MoveProps) {
  const text = useText(assetActionsText);
  const checkIn = useCheckIn();
  const look = { size, variant: 'default' } as const;
  if (canCheckIn(asset))
    return (
      <WriteButton
        {...look}
        aria-label={text.checkInName(asset.name)}
        loading={checkIn.isPending}
        onClick={() => checkIn.mutate(asset)}
      >
        {text.checkIn}
      </WriteButton>
    );
  if (!canCheckOut(asset)) return null;
  return (
    <WriteButton
      {...look}
      aria-label={text.checkOutName(asset.name)}
      onClick={() => ask({ kind: 'check-out', assets: [asset] })}
    >
      {text.checkOut}
    </WriteButton>
  );
}
