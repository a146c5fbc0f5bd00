import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import type { Antenna } from '../../../contract/antenna.ts';
import { call } from '../../api/call.ts';
import { useZones } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWhyNot } from '../../ui/use-why-not.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { changesOf, type Draft, edited, faultsOf, isEdited, type PortChange } from './antenna-draft.ts';
import classes from './antenna-form.module.css';
import { keepDraft, useDraft } from './drafts.ts';
import { PortFieldset } from './port-fieldset.tsx';

interface Props {
  readonly readerId: string;
  readonly antennas: readonly Antenna[];
  readonly onSaved?: () => void;
}

function useSave({ readerId, onSaved }: Props) {
  const text = useText(readersText);
  const client = useQueryClient();
  return useAction({
    run: (body: readonly PortChange[]) => call<Antenna[]>('PUT', `/readers/${readerId}/antennas`, { body }),
    changes: [['readers']],
    done: text.antennasSaved,
    quiet: true,
    onDone: (saved) => {
      client.setQueryData(['readers', readerId, 'antennas'], saved);
      keepDraft(readerId, {});
      onSaved?.();
    },
  });
}

/** The ports of a reader, edited together. What is out of range is refused here; what is edited is kept until it is saved. */
export function AntennaForm(props: Props) {
  const { readerId, antennas } = props;
  const text = useText(readersText);
  const zones = useZones().data;
  const whyNot = useWhyNot();
  const draft = useDraft(readerId);
  const faults = faultsOf(antennas, draft);
  const save = useSave(props);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEdited(draft) && faults.length === 0) save.mutate(changesOf(antennas, draft));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {zones?.length === 0 && (
          <Text size="sm">
            {text.noZones}{' '}
            <Anchor component={Link} href="/setup/zones">
              {text.makeZones}
            </Anchor>
          </Text>
        )}
        {antennas.map((antenna) => (
          <PortFieldset
            key={antenna.port}
            antenna={antenna}
            draft={draft}
            faults={faults}
            isFixed={whyNot !== null}
            onEdit={(edit) => keepDraft(readerId, edited(draft, antenna, edit))}
          />
        ))}
        <Foot draft={draft} hasFaults={faults.length > 0} save={save} readerId={readerId} />
      </Stack>
    </form>
  );
}

interface FootProps {
  readonly readerId: string;
  readonly draft: Draft;
  readonly hasFaults: boolean;
  readonly save: ReturnType<typeof useSave>;
}

function Foot({ readerId, draft, hasFaults, save }: FootProps) {
  const text = useText(readersText);
  const discard = () => {
    keepDraft(readerId, {});
    save.reset();
  };
  return (
    <>
      <Refusal error={save.error} />
      <Group className={classes.foot ?? ''}>
        <WriteButton type="submit" loading={save.isPending} disabled={!isEdited(draft) || hasFaults}>
          {text.saveAntennas}
        </WriteButton>
        {isEdited(draft) && (
          <>
            <Button variant="default" onClick={discard}>
              {text.discard}
            </Button>
            <Text size="sm" c="dimmed">
              {text.unsavedNote}
            </Text>
          </>
        )}
      </Group>
    </>
  );
}
