import { Alert, FileButton, Group, Menu, Progress, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconPhotoUp } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import { call } from '../../api/call.ts';
import { upload } from '../../api/upload.ts';
import { commonText } from '../../text/common.ts';
import { floorText } from '../../text/floor.ts';
import { type Language, useLanguage, useText } from '../../text/language.ts';
import { number, percent } from '../../time/numbers.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';

/** As the appliance takes them. */
const BYTES_MAX = 8 * 1024 * 1024;
const TYPES = ['image/png', 'image/svg+xml'];

/** Uploading a plan: how far it is, and why it was refused. */
export function usePlanUpload(siteId: string) {
  const text = useText(floorText);
  const { language } = useLanguage();
  const [part, setPart] = useState(0);
  const action = useAction({
    run: (file: File) => {
      setPart(0);
      if (!TYPES.includes(file.type)) return Promise.reject(new Error(text.wrongType));
      if (file.size > BYTES_MAX)
        return Promise.reject(new Error(text.tooLarge(megabytes(file.size, language))));
      return upload<Floor>({
        method: 'PUT',
        path: `/sites/${encodeURIComponent(siteId)}/floor/plan`,
        body: file,
        onProgress: setPart,
      });
    },
    changes: [['floor', siteId]],
    done: ({ plan }) => (plan?.dropped ? text.uploadedDropped(plan.dropped) : text.uploaded),
    quiet: true,
  });
  return { action, part };
}

const megabytes = (bytes: number, language: Language): string =>
  number(bytes / 1024 / 1024, language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });

type PlanUpload = ReturnType<typeof usePlanUpload>;

/** How far the upload is, or why it was refused; nothing otherwise. */
export function UploadState({ action, part }: PlanUpload) {
  const text = useText(floorText);
  const common = useText(commonText);
  const reason = useReason();
  const { language } = useLanguage();
  if (action.isPending)
    return (
      <Stack gap={4} role="status">
        <Text size="sm">{text.uploading(percent(part, language))}</Text>
        <Progress value={part * 100} aria-label={text.uploadPlan} />
      </Stack>
    );
  if (!action.error) return null;
  return (
    <Alert
      color="red"
      role="alert"
      title={common.failed}
      withCloseButton
      closeButtonLabel={text.dismiss}
      onClose={action.reset}
    >
      <span className="anything">{reason(action.error)}</span>
    </Alert>
  );
}

interface Props {
  readonly siteId: string;
  readonly hasPlan: boolean;
  readonly upload: PlanUpload;
}

/** Uploads, replaces or removes the plan. */
export function PlanActions({ siteId, hasPlan, upload: { action } }: Props) {
  const text = useText(floorText);
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    if (file) action.mutate(file);
    // The same file can be chosen again after a refusal.
    reset.current?.();
  };
  return (
    <FileButton onChange={choose} accept={TYPES.join(',')} resetRef={reset}>
      {({ onClick }) =>
        hasPlan ? (
          <PlanMenu siteId={siteId} onReplace={onClick} />
        ) : (
          <WriteButton
            variant="default"
            leftSection={<IconPhotoUp size={16} aria-hidden />}
            loading={action.isPending}
            onClick={onClick}
          >
            {text.uploadPlan}
          </WriteButton>
        )
      }
    </FileButton>
  );
}

function PlanMenu({ siteId, onReplace }: { readonly siteId: string; readonly onReplace: () => void }) {
  const text = useText(floorText);
  const [isAsking, setAsking] = useState(false);
  const remove = useAction({
    run: () => call('DELETE', `/sites/${encodeURIComponent(siteId)}/floor/plan`),
    changes: [['floor', siteId]],
    done: text.planRemoved,
    onDone: () => setAsking(false),
  });
  return (
    <Group>
      <Menu position="bottom-end">
        <Menu.Target>
          <WriteButton variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            {text.planMenu}
          </WriteButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onReplace}>{text.replacePlan}</Menu.Item>
          <Menu.Item color="red" onClick={() => setAsking(true)}>
            {text.removePlan}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.removePlan}
        action={text.removePlan}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {text.removePlanAsk}
      </Confirm>
    </Group>
  );
}
