import { Alert, Button, CloseButton, Group, List, Paper, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { useReason } from '../../ui/failed.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import type { Ask } from './dialog.ts';
import { labelsHref, MOST_LABELS } from './label-address.ts';
import type { Selection } from './selection.ts';
import { canChange, canCheckIn, canCheckOut } from './state.ts';
import { checkInAsset } from './use-asset-actions.ts';
import type { Bulk } from './use-bulk.ts';

interface Props {
  readonly selection: Selection;
  readonly ask: Ask;
  readonly bulk: Bulk;
}

/** What can be done with the selected assets; it stays in sight while the list is scrolled. */
export function BulkBar({ selection, ask, bulk }: Props) {
  const text = useText(assetActionsText);
  const { assets, clear } = selection;
  if (assets.length === 0) return null;
  const busy = bulk.progress !== null;
  return (
    <Paper
      withBorder
      p="xs"
      role="group"
      aria-label={text.bulkLabel}
      style={{ position: 'sticky', bottom: 8, zIndex: 2 }}
      shadow="sm"
    >
      {/* On the left, as what was done is told over the right. */}
      <Group gap="xs">
        <Group gap="xs" mr="md">
          <CloseButton aria-label={text.clear} onClick={clear} />
          <Text size="sm" className="figures" role="status">
            {bulk.progress
              ? text.bulkBusy(bulk.progress.through, bulk.progress.all)
              : text.chosen(assets.length)}
          </Text>
        </Group>
        <Group gap="xs">
          <BulkButtons {...{ selection, ask, bulk, busy }} />
        </Group>
      </Group>
    </Paper>
  );
}

function BulkButtons({ selection: { assets }, ask, bulk, busy }: Props & { readonly busy: boolean }) {
  const text = useText(assetActionsText);
  const [, go] = useLocation();
  const isIn = assets.filter(canCheckIn);
  const out = assets.filter(canCheckOut);
  const retirable = assets.filter(canChange);
  const tooMany = assets.length > MOST_LABELS;
  const look = { size: 'xs', variant: 'default' } as const;
  return (
    <>
      <WriteButton
        {...look}
        disabled={busy || out.length === 0}
        onClick={() => ask({ kind: 'check-out', assets })}
      >
        {text.checkOut}
      </WriteButton>
      <WriteButton
        {...look}
        disabled={busy || isIn.length === 0}
        onClick={() => bulk.run({ kind: 'checkIn', assets: isIn, run: checkInAsset })}
      >
        {text.checkIn}
      </WriteButton>
      <Button
        {...look}
        leftSection={<IconPrinter size={16} aria-hidden />}
        disabled={tooMany}
        {...(tooMany && { title: text.labelsTooMany(MOST_LABELS) })}
        onClick={() => go(labelsHref(assets))}
      >
        {text.labels}
      </Button>
      <WriteButton
        {...look}
        disabled={busy || retirable.length === 0}
        onClick={() => ask({ kind: 'retire', assets: retirable })}
      >
        {text.retire}
      </WriteButton>
    </>
  );
}

/** What an action on many left undone, and why; it stays until it is closed. */
export function BulkFailures({ bulk }: { readonly bulk: Bulk }) {
  const text = useText(assetActionsText);
  const reason = useReason();
  if (bulk.failed.length === 0) return null;
  return (
    <Alert
      color="red"
      role="alert"
      withCloseButton
      closeButtonLabel={text.clear}
      onClose={bulk.forget}
      title={text.bulkFailed(bulk.failed.length)}
    >
      <List size="sm">
        {bulk.failed.slice(0, 20).map(({ item, error }) => (
          <List.Item key={item.id} className="anything">
            {item.assetTagNumber} {item.name}: {reason(error)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
