import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Asset } from '../../../contract/asset.ts';
import { CallError } from '../../api/problem.ts';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { LongText } from './long-text.tsx';
import { Place } from './place.tsx';
import { useAsset, useLocationOf } from './queries.ts';

interface TagProps {
  readonly epc: string;
  readonly assetId: string | null;
}

function TagPlace({ epc, assetId }: TagProps) {
  const text = useText(findText);
  const query = useLocationOf(epc);
  if (query.error instanceof CallError && query.error.status === 404) return <Text>{text.gone}</Text>;
  return <Loaded query={query}>{(location) => <Place location={location} assetId={assetId} />}</Loaded>;
}

function AssetHead({ asset }: { readonly asset: Asset }) {
  const text = useText(findText);
  const details = [asset.assetTagNumber, asset.category, asset.custodian && text.heldBy(asset.custodian)];
  return (
    <Group gap="xs">
      <Badge variant="light" color={asset.status === 'missing' ? 'red' : 'petrol'} tt="none">
        {text.state[asset.status]}
      </Badge>
      <LongText size="sm" c="dimmed">
        {details.filter(Boolean).join(' · ')}
      </LongText>
    </Group>
  );
}

function AssetAnswer({ asset }: { readonly asset: Asset }) {
  const text = useText(findText);
  return (
    <Stack gap="lg">
      <div>
        <Title order={2} size="h3">
          <LongText inherit>{asset.name}</LongText>
        </Title>
        <AssetHead asset={asset} />
        {asset.epc && (
          <Text size="sm" c="dimmed" className="code">
            {asset.epc}
          </Text>
        )}
      </div>
      {asset.epc ? (
        <TagPlace key={asset.epc} epc={asset.epc} assetId={asset.id} />
      ) : (
        <Stack align="flex-start" gap="sm">
          <Text>{text.noTagWhy}</Text>
          <Button component={Link} href={`/assets/${asset.id}`}>
            {text.toAsset}
          </Button>
        </Stack>
      )}
    </Stack>
  );
}

interface Props {
  /** The key of a result. */
  readonly open: string;
  /** What its tag is called; null when nothing is known. */
  readonly label: string | null;
}

/** The answer to what was searched: where it is now. */
export function AnswerCard({ open, label }: Props) {
  const text = useText(findText);
  const [kind, id = ''] = [open.slice(0, open.indexOf(':')), open.slice(open.indexOf(':') + 1)];
  const query = useAsset(kind === 'asset' ? id : '');
  if (query.error instanceof CallError && query.error.status === 404) return <Text>{text.gone}</Text>;
  return (
    <Paper withBorder p={{ base: 'md', sm: 'xl' }} component="section" data-answer>
      {kind === 'asset' ? (
        <Loaded query={query}>{(asset) => <AssetAnswer asset={asset} />}</Loaded>
      ) : (
        <Stack gap="lg">
          <div>
            <Title order={2} size="h3">
              <LongText inherit>{label ?? id}</LongText>
            </Title>
            {label && (
              <Text size="sm" c="dimmed" className="code">
                {id}
              </Text>
            )}
          </div>
          <TagPlace epc={id} assetId={null} />
        </Stack>
      )}
    </Paper>
  );
}
