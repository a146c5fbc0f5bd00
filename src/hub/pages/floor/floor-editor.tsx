import { Button, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import type { Zone } from '../../../contract/zone.ts';
import { call } from '../../api/call.ts';
import type { Site } from '../../api/queries.ts';
import { commonText } from '../../text/common.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { ChangedNote } from './changed-note.tsx';
import { type Drawing, onlyKnown } from './draft.ts';
import { EditorPanel } from './editor-panel.tsx';
import { EditorShapes } from './editor-shapes.tsx';
import classes from './floor.module.css';
import { PlanFrame } from './plan-frame.tsx';
import { usePorts } from './queries.ts';
import { isSame } from './rebase.ts';
import { type DraftWork, drawingOf, useDraft } from './use-draft.ts';
import type { GoOnFloor } from './use-floor-address.ts';

interface Props {
  readonly site: Site;
  readonly floor: Floor;
  readonly zones: readonly Zone[];
  readonly go: GoOnFloor;
}

function useSave({ site, zones, go }: Props, work: DraftWork) {
  const text = useText(floorText);
  const client = useQueryClient();
  const ports = usePorts().data;
  const path = `/sites/${encodeURIComponent(site.id)}/floor`;
  return useAction({
    run: async (drawing: Drawing) => {
      // The whole drawing is replaced, so what others have saved since it was last asked for must be in it.
      const now = await call<Floor>('GET', path);
      client.setQueryData(['floor', site.id], now);
      if (!isSame(drawingOf(now), work.base)) throw new Error(text.changedNow);
      const zoneIds = zones.map(({ id }) => id);
      const readerIds = (ports ?? drawing.antennas).map(({ readerId }) => readerId);
      return call<Floor>('PUT', path, { body: onlyKnown(drawing, { zoneIds, readerIds }, drawingOf(now)) });
    },
    changes: [['floor', site.id]],
    done: text.saved,
    onDone: () => {
      work.forget();
      go({ edit: '' });
    },
    quiet: true,
  });
}

/** Where zones and antennas are drawn, by pointer, finger or keyboard. */
export function FloorEditor(props: Props) {
  const { site, floor, zones, go } = props;
  const text = useText(floorText);
  const work = useDraft(site.id, floor);
  const save = useSave(props, work);
  const [selected, setSelected] = useState('');
  const all = useRef<HTMLDivElement>(null);
  const names = useMemo(() => new Map(zones.map(({ id, name }) => [id, name])), [zones]);
  const leave = () => {
    work.forget();
    go({ edit: '' });
  };
  const drawing = work.draft.now;
  const settled = () => {
    save.reset();
    all.current?.focus({ preventScroll: true });
  };
  return (
    <Page
      title={text.editing}
      actions={<Tools work={work} save={() => save.mutate(drawing)} busy={save.isPending} leave={leave} />}
    >
      <Stack
        ref={all}
        gap="md"
        tabIndex={-1}
        style={{ outline: 'none' }}
        onKeyDown={(event) => save.isPending || undoByKey(event, work)}
      >
        <Refusal error={save.error} />
        <ChangedNote {...{ work, names }} onSettled={settled} />
        <Text size="sm" id="floor-edit-help">
          {text.editHelp}
        </Text>
        {/* What is drawn while it is saved would be in none of the two. */}
        <div className={classes.columns} inert={save.isPending}>
          <div>
            <PlanFrame siteId={site.id} plan={floor.plan} isWork>
              <EditorShapes {...{ drawing, names, selected }} select={setSelected} apply={work.apply} />
            </PlanFrame>
          </div>
          <EditorPanel {...{ zones, drawing, selected }} select={setSelected} apply={work.apply} />
        </div>
      </Stack>
    </Page>
  );
}

function undoByKey(event: KeyboardEvent, { undo, redo }: DraftWork): void {
  if (!event.ctrlKey && !event.metaKey) return;
  const key = event.key.toLowerCase();
  if (key === 'y' || (key === 'z' && event.shiftKey)) redo();
  else if (key === 'z') undo();
  else return;
  event.preventDefault();
}

interface ToolsProps {
  readonly work: DraftWork;
  readonly save: () => void;
  readonly busy: boolean;
  readonly leave: () => void;
}

function Tools({ work, save, busy, leave }: ToolsProps) {
  const text = useText(floorText);
  const common = useText(commonText);
  const [isAsking, setAsking] = useState(false);
  const { draft, isDirty, clashes, undo, redo } = work;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        disabled={busy || draft.past.length === 0}
        onClick={undo}
      >
        {text.undo}
      </Button>
      <Button
        variant="default"
        leftSection={<IconArrowForwardUp size={16} aria-hidden />}
        disabled={busy || draft.future.length === 0}
        onClick={redo}
      >
        {text.redo}
      </Button>
      <Button variant="default" disabled={busy} onClick={() => (isDirty ? setAsking(true) : leave())}>
        {isDirty ? text.discard : common.close}
      </Button>
      <WriteButton disabled={!isDirty || clashes.length > 0} loading={busy} onClick={save}>
        {common.save}
      </WriteButton>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.discardTitle}
        action={text.discard}
        onConfirm={leave}
      >
        {text.discardAsk}
      </Confirm>
    </>
  );
}
