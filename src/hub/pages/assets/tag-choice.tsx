import { Badge, Group, Paper, Radio, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';

/** A tag that can be chosen. */
export interface Candidate {
  readonly epc: string;
  readonly label: string | null;
  readonly hasAsset: boolean;
  readonly isNew?: boolean;
  /** Where it is, how strong it is. */
  readonly detail?: ReactNode;
}

interface Props {
  readonly name: string;
  readonly tags: readonly Candidate[];
  readonly epc: string | null;
  readonly choose: (epc: string) => void;
}

/** Tags to choose one of. */
export function TagChoice({ name, tags, epc, choose }: Props) {
  return (
    <Radio.Group value={epc} onChange={choose} label={name}>
      <Stack gap="xs" mt="xs" mah="40dvh" style={{ overflowY: 'auto' }}>
        {tags.map((tag) => (
          <Choice key={tag.epc} tag={tag} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function Choice({ tag: { epc, label, hasAsset, isNew, detail } }: { readonly tag: Candidate }) {
  const text = useText(assetActionsText);
  return (
    <Paper withBorder p="xs">
      <Radio
        value={epc}
        label={
          <Stack gap={2}>
            <Text component="span" size="sm" className="code">
              {epc}
            </Text>
            {label && (
              <Text component="span" size="sm" className="anything" lineClamp={2} title={label}>
                {label}
              </Text>
            )}
            <Group component="span" gap="xs">
              {isNew && (
                <Badge component="span" variant="light" color="green" tt="none">
                  {text.isNew}
                </Badge>
              )}
              {hasAsset && (
                <Badge component="span" variant="light" color="orange" tt="none">
                  {text.hasAsset}
                </Badge>
              )}
              {detail}
            </Group>
          </Stack>
        }
      />
    </Paper>
  );
}
