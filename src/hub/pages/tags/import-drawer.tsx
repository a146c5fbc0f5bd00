import { Alert, Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { importText } from '../../text/tags.ts';
import { Failed } from '../../ui/failed.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { FileDrop } from './file-drop.tsx';
import { ImportReportView } from './import-report.tsx';
import { type ImportStep, useImport } from './use-import.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The import has changed tags. */
  readonly onDone: () => void;
}

function Sending({ dryRun, part }: { readonly dryRun: boolean; readonly part: number }) {
  const text = useText(importText);
  return (
    <Stack gap="xs" role="status">
      <Text>{dryRun ? text.checking : text.importing}</Text>
      <Progress.Root size="lg">
        <Progress.Section value={part * 100} animated={part >= 1} aria-label={text.progress} withAria />
      </Progress.Root>
      {part >= 1 && (
        <Text size="sm" c="dimmed">
          {text.working}
        </Text>
      )}
    </Stack>
  );
}

interface ViewProps {
  readonly step: ImportStep;
  readonly send: (file: File, dryRun: boolean) => Promise<void>;
  readonly onClose: () => void;
}

function StepView({ step, send, onClose }: ViewProps) {
  const text = useText(importText);
  if (step.at === 'too-big')
    return (
      <Alert color="red" role="alert">
        {text.tooBig}
      </Alert>
    );
  if (step.at === 'sending') return <Sending dryRun={step.dryRun} part={step.part} />;
  if (step.at === 'failed')
    return <Failed error={step.error} retry={() => void send(step.file, step.dryRun)} />;
  if (step.at === 'start') return null;
  const { file, report } = step;
  const count = report.imported + report.updated;
  if (step.at === 'done')
    return (
      <ImportReportView report={report} says={text.done}>
        <Button onClick={onClose}>{text.finish}</Button>
      </ImportReportView>
    );
  return (
    <ImportReportView report={report} says={count > 0 ? text.preview : text.nothing}>
      {count > 0 && <Button onClick={() => void send(file, false)}>{text.start(count)}</Button>}
    </ImportReportView>
  );
}

function Import({ onClose, onDone }: Omit<Props, 'opened'>) {
  const text = useText(importText);
  const common = useText(commonText);
  const { step, take, send } = useImport(onDone);
  const isOpen = step.at !== 'sending' && step.at !== 'done' && step.at !== 'preview';
  return (
    <Stack>
      {'file' in step && (
        <Text fw={600} className="anything">
          {step.file.name}
        </Text>
      )}
      <StepView step={step} send={send} onClose={onClose} />
      {isOpen && <FileDrop onFile={take} />}
      {step.at === 'preview' && (
        <Group>
          <FileButton onChange={take} accept=".csv,text/csv,text/plain">
            {(props) => (
              <Button variant="default" {...props}>
                {text.another}
              </Button>
            )}
          </FileButton>
          <Button variant="subtle" onClick={onClose}>
            {common.cancel}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Imports tags from a file: what it would do is shown before it is done. */
export function ImportDrawer({ opened, onClose, onDone }: Props) {
  const text = useText(importText);
  return (
    <SideDrawer opened={opened} onClose={onClose} size={640} title={text.title}>
      <Import onClose={onClose} onDone={onDone} />
    </SideDrawer>
  );
}
