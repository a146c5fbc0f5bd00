import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconPrinter, IconTag } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { Link, useSearch } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { oneAsset } from './asset-queries.ts';
import { code128 } from './code128.ts';
import { labelIds } from './label-address.ts';
import classes from './labels-page.module.css';

const QUIET = 10;

function Bars({ text: value }: { readonly text: string }) {
  const text = useText(assetsText);
  const code = code128(value);
  if (!code) return null;
  return (
    <svg
      className={classes.bars}
      viewBox={`${-QUIET} 0 ${code.width + 2 * QUIET} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text.barcodeOf(value)}
    >
      {code.bars.map(({ x, width }) => (
        <rect key={x} x={x} y={0} width={width} height={1} />
      ))}
    </svg>
  );
}

// The barcode is the EPC; without a tag the number, for those who scan what is written on it.
function Label({ asset }: { readonly asset: Asset }) {
  return (
    <li className={classes.label}>
      <div className={`${classes.name} anything`}>{asset.name}</div>
      <div className={`${classes.number} anything`}>{asset.assetTagNumber}</div>
      <Bars text={asset.epc ?? asset.assetTagNumber} />
      <div className={classes.code}>{asset.epc}</div>
    </li>
  );
}

function Sheet({ ids }: { readonly ids: readonly string[] }) {
  const text = useText(assetsText);
  const shown = useCount();
  const queries = useQueries({ queries: ids.map((id) => ({ ...oneAsset(id), staleTime: 60_000 })) });
  if (queries.some(({ isPending }) => isPending)) return <Loading />;
  const gone = queries.filter(({ data }) => data === undefined).length;
  return (
    <Stack>
      {gone > 0 && (
        <Text c="red" className={classes.screen ?? ''}>
          {text.labelsGone(shown(gone))}
        </Text>
      )}
      <ul className={classes.sheet}>
        {queries.map(({ data }) => data && <Label key={data.id} asset={data} />)}
      </ul>
    </Stack>
  );
}

/** Labels to print and stick on: `/assets/labels?ids=…`. */
export function LabelsPage() {
  const text = useText(assetsText);
  const ids = labelIds(useSearch());
  return (
    <Box>
      <Page
        title={text.labels}
        actions={
          <Group gap="sm" className={classes.screen ?? ''}>
            <Anchor component={Link} href="/assets" size="sm">
              {text.back}
            </Anchor>
            <Button
              leftSection={<IconPrinter size={16} aria-hidden />}
              disabled={ids.length === 0}
              onClick={() => print()}
            >
              {text.print}
            </Button>
          </Group>
        }
      >
        {ids.length === 0 ? <Empty icon={IconTag} title={text.labelsNone} /> : <Sheet ids={ids} />}
      </Page>
    </Box>
  );
}
