import { Alert, Group, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import type { Correlation } from '../../../contract/correlation.ts';
import { call } from '../../api/call.ts';
import { CallError } from '../../api/problem.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { assetChanges } from './asset-queries.ts';
import { FormEnd } from './form-parts.tsx';
import { LinkByReader } from './link-by-reader.tsx';
import { LinkBySearch } from './link-by-search.tsx';
import { TagHolder } from './tag-holder.tsx';

interface Props {
  readonly asset: Asset;
  readonly close: () => void;
}

function useLink({ asset, close }: Props) {
  const text = useText(assetActionsText);
  return useAction({
    run: ({ epc, supersede }: { readonly epc: string; readonly supersede: boolean }) =>
      call<Correlation>('POST', '/correlations', {
        body: { epc, targetType: 'asset', targetId: asset.id, label: asset.name, supersede },
      }),
    changes: assetChanges,
    quiet: true,
    done: text.linked(asset.name),
    onDone: close,
  });
}

const isTaken = (error: unknown) => error instanceof CallError && error.slug === 'tag-linked';

/** Chooses a tag, by holding it to a reader or by searching, and links it. */
export function LinkTag({ asset, close }: Props) {
  const text = useText(assetActionsText);
  const link = useLink({ asset, close });
  const [epc, setEpc] = useState<string | null>(null);
  const choose = (wanted: string | null) => {
    setEpc(wanted);
    if (wanted !== epc) link.reset();
  };
  const taken = isTaken(link.error) ? link.variables?.epc : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (epc) link.mutate({ epc, supersede: false });
      }}
    >
      <Stack>
        {asset.epc && <Text size="sm">{text.replaces}</Text>}
        <Ways epc={epc} choose={choose} />
        {taken ? (
          <Taken
            epc={taken}
            busy={link.isPending}
            move={() => link.mutate({ epc: taken, supersede: true })}
          />
        ) : (
          <Refusal error={link.error} />
        )}
        <FormEnd
          action={epc ? text.linkThis(epc.slice(-6)) : text.link}
          busy={link.isPending}
          disabled={!epc || taken !== undefined}
          close={close}
        />
      </Stack>
    </form>
  );
}

interface WaysProps {
  readonly epc: string | null;
  readonly choose: (epc: string | null) => void;
}

function Ways({ epc, choose }: WaysProps) {
  const text = useText(assetActionsText);
  return (
    <Tabs defaultValue="reader" keepMounted={false} onChange={() => choose(null)}>
      <Tabs.List aria-label={text.howLink} mb="md">
        <Tabs.Tab value="reader">{text.byReader}</Tabs.Tab>
        <Tabs.Tab value="search">{text.bySearch}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="reader">
        <LinkByReader epc={epc} choose={choose} />
      </Tabs.Panel>
      <Tabs.Panel value="search">
        <LinkBySearch epc={epc} choose={choose} />
      </Tabs.Panel>
    </Tabs>
  );
}

interface TakenProps {
  readonly epc: string;
  readonly busy: boolean;
  readonly move: () => void;
}

/** The tag has an asset already: says which, and asks. */
function Taken({ epc, busy, move }: TakenProps) {
  const text = useText(assetActionsText);
  return (
    <Alert color="orange" role="alert" title={text.takenTitle}>
      <Stack gap="xs" align="flex-start">
        <TagHolder epc={epc} />
        <Text size="sm">{text.takenText}</Text>
        <Group>
          <WriteButton size="xs" loading={busy} onClick={move}>
            {text.moveHere}
          </WriteButton>
        </Group>
      </Stack>
    </Alert>
  );
}
