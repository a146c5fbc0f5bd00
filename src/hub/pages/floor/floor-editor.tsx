import { Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
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
import { type Drawing, onlyKnown } from './draft.ts';
import { EditorPanel } from './editor-panel.tsx';
import { EditorShapes } from './editor-shapes.tsx';
import classes from './floor.module.css';
import { PlanFrame } from './plan-frame.tsx';
import { usePorts } from './queries.ts';
import { type DraftWork, useDraft } from './use-draft.ts';
import type { GoOnFloor } from './use-floor-address.ts';

interface Props {
  readonly site: Site;
  readonly floor: Floor;
  readonly zones: readonly Zone[];
  readonly go: GoOnFloor;
}

function useSave({ site, zones, go }: Props, work: DraftWork) {
  const text = useText(floorText);
  const ports = usePorts().data;
  return useAction({
    run: (drawing: Drawing) => {
      const zoneIds = new Set(zones.map(({ id }) => id));
      const readers = new Set((ports ?? drawing.antennas).map(({ readerId }) => readerId));
      const body = onlyKnown(drawing, zoneIds, readers);
      return call<Floor>('PUT', `/sites/${encodeURIComponent(site.id)}/floor`, { body });
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
  const names = useMemo(() => new Map(zones.map(({ id, name }) => [id, name])), [zones]);
  const leave = () => {
    work.forget();
    go({ edit: '' });
  };
  const drawing = work.draft.now;
  return (
    <Page
      title={text.editing}
      actions={<Tools work={work} save={() => save.mutate(drawing)} busy={save.isPending} leave={leave} />}
    >
      <Stack gap="md" onKeyDown={(event) => undoByKey(event, work)}>
        <Refusal error={save.error} />
        <Text size="sm" id="floor-edit-help">
          {text.editHelp}
        </Text>
        <div className={classes.columns}>
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
  const { draft, isDirty, undo, redo } = work;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        disabled={draft.past.length === 0}
        onClick={undo}
      >
        {text.undo}
      </Button>
      <Button
        variant="default"
        leftSection={<IconArrowForwardUp size={16} aria-hidden />}
        disabled={draft.future.length === 0}
        onClick={redo}
      >
        {text.redo}
      </Button>
      <Button variant="default" onClick={() => (isDirty ? setAsking(true) : leave())}>
        {isDirty ? text.discard : common.close}
      </Button>
      <Group>
        <WriteButton disabled={!isDirty} loading={busy} onClick={save}>
          {common.save}
        </WriteButton>
      </Group>
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
