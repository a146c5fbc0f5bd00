import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { InstallNotes } from './install-notes.tsx';
import type { Issued } from './queries.ts';
import { tarOf } from './tar.ts';

// Who may read them: the key and the login of the reader are secrets.
const modes = { 'ca.crt': 0o644, 'client.crt': 0o644, 'client.key': 0o600, 'svc.json': 0o600 } as const;
const names = ['ca.crt', 'client.crt', 'client.key', 'svc.json'] as const;

interface Props {
  readonly issued: Issued;
  readonly onDone: () => void;
}

/** The identity files of a reader, to be taken now or never, and where they go. */
export function IdentityFiles({ issued, onDone }: Props) {
  const text = useText(setupText);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [isLeaving, setLeaving] = useState(false);
  const hasAll = taken.size === names.length;
  useGuard(!hasAll);
  const take = (...more: readonly string[]) => setTaken((before) => new Set([...before, ...more]));
  return (
    <Stack>
      <Title order={3} size="h4" className="anything">
        {text.filesTitle(issued.name)}
      </Title>
      <Alert color="orange" variant="light">
        {text.filesOnce}
      </Alert>
      <Downloads issued={issued} onTake={take} />
      <InstallNotes serial={issued.serial} />
      <Group>
        <Button variant={hasAll ? 'filled' : 'default'} onClick={hasAll ? onDone : () => setLeaving(true)}>
          {text.next}
        </Button>
      </Group>
      <Confirm
        opened={isLeaving}
        onClose={() => setLeaving(false)}
        title={text.leaveFiles}
        action={text.goOn}
        onConfirm={onDone}
      >
        {text.leaveFilesWhat}
      </Confirm>
    </Stack>
  );
}

interface DownloadsProps {
  readonly issued: Issued;
  readonly onTake: (...names: readonly string[]) => void;
}

function Downloads({ issued: { serial, files }, onTake }: DownloadsProps) {
  const text = useText(setupText);
  const takeAll = () => {
    const all = names.map((name) => ({ name, text: files[name], mode: modes[name] }));
    saveFile(`${serial}.tar`, tarOf(all, Date.now()));
    onTake(...names);
  };
  const takeOne = (name: (typeof names)[number]) => {
    saveFile(name, files[name]);
    onTake(name);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={takeAll}>
        {text.filesAll}
      </Button>
      <Group gap="xs">
        {names.map((name) => (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            aria-label={text.file(name)}
            onClick={() => takeOne(name)}
          >
            <Text span className="code">
              {name}
            </Text>
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

// The browser asks before a tab closes while there is something in it that cannot be had again.
function useGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const guard = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', guard);
    return () => removeEventListener('beforeunload', guard);
  }, [isOn]);
}
