import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
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
import { clashesOf, originOf, withMine, withTheirs } from './antenna-clash.ts';
import { AntennaClashNote } from './antenna-clash-note.tsx';
import { changesOf, type Draft, edited, faultsOf, isEdited } from './antenna-draft.ts';
import classes from './antenna-form.module.css';
import { dropSent, keepDraft, type Unsaved, useUnsaved } from './drafts.ts';
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
    run: async ({ draft, origin }: Unsaved) => {
      // Somebody else may have saved since they were asked for.
      const now = await call<Antenna[]>('GET', `/readers/${readerId}/antennas`);
      client.setQueryData(['readers', readerId, 'antennas'], now);
      if (clashesOf(now, draft, origin).length > 0) throw new Error(text.clashSaved);
      return call<Antenna[]>('PUT', `/readers/${readerId}/antennas`, { body: changesOf(now, draft) });
    },
    changes: [['readers']],
    done: text.antennasSaved,
    quiet: true,
    onDone: (saved, sent) => {
      client.setQueryData(['readers', readerId, 'antennas'], saved);
      dropSent(readerId, sent);
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
  const unsaved = useUnsaved(readerId);
  const { draft, origin } = unsaved;
  const faults = faultsOf(antennas, draft);
  const save = useSave(props);
  const form = useRef<HTMLFormElement>(null);
  const keep = (next: Draft, antenna: Antenna) => keepDraft(readerId, next, originOf(origin, next, antenna));
  // Its buttons go, or are switched off, once they were pressed, which loses the focus.
  const takeFocus = () => form.current?.focus({ preventScroll: true });
  // Whoever went on to something else meanwhile stays there.
  const onSettled = () => {
    if (document.activeElement === document.body) takeFocus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEdited(draft) && faults.length === 0 && !save.isPending) save.mutate(unsaved, { onSettled });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate tabIndex={-1} style={{ outline: 'none' }}>
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
            isFixed={whyNot !== null || save.isPending}
            onEdit={(edit) => keep(edited(draft, antenna, edit), antenna)}
          />
        ))}
        <Foot
          {...{ readerId, antennas, unsaved, save }}
          hasFaults={faults.length > 0}
          onSettled={takeFocus}
        />
      </Stack>
    </form>
  );
}

interface FootProps extends Pick<Props, 'readerId' | 'antennas'> {
  readonly unsaved: Unsaved;
  readonly hasFaults: boolean;
  readonly save: ReturnType<typeof useSave>;
  /** A choice between what is saved and what was edited is made, and the buttons for it are gone. */
  readonly onSettled: () => void;
}

function Foot({ readerId, antennas, unsaved: { draft, origin }, hasFaults, save, onSettled }: FootProps) {
  const clashes = clashesOf(antennas, draft, origin);
  const settle = (next: Unsaved) => {
    keepDraft(readerId, next.draft, next.origin);
    save.reset();
    onSettled();
  };
  return (
    <Stack gap="sm" className={classes.foot ?? ''}>
      <AntennaClashNote
        {...{ antennas, clashes }}
        onTheirs={() => settle({ draft: withTheirs(draft, clashes), origin: withTheirs(origin, clashes) })}
        onMine={() => settle({ draft, origin: withMine(origin, clashes, antennas) })}
      />
      {clashes.length === 0 && <Refusal error={save.error} />}
      <FootButtons {...{ readerId, draft, hasFaults, save }} />
    </Stack>
  );
}

type ButtonsProps = Pick<FootProps, 'readerId' | 'hasFaults' | 'save'> & { readonly draft: Draft };

function FootButtons({ readerId, draft, hasFaults, save }: ButtonsProps) {
  const text = useText(readersText);
  const discard = () => {
    keepDraft(readerId, {});
    save.reset();
  };
  return (
    <Group>
      <WriteButton type="submit" loading={save.isPending} disabled={!isEdited(draft) || hasFaults}>
        {text.saveAntennas}
      </WriteButton>
      {isEdited(draft) && (
        <>
          <Button variant="default" disabled={save.isPending} onClick={discard}>
            {text.discard}
          </Button>
          <Text size="sm" c="dimmed">
            {text.unsavedNote}
          </Text>
        </>
      )}
    </Group>
  );
}
