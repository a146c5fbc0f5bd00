import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { apiBase } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { WriteButton } from '../../ui/write-button.tsx';

interface Props {
  readonly canWrite: boolean;
  /** What the address ends in. */
  readonly suffix: string;
}

const exportLink = { component: 'a', href: `${apiBase}/tags/export`, download: true } as const;
const icon = { size: 16, 'aria-hidden': true } as const;

// What does not fit beside each other on a phone.
function More({ canWrite, onAdd }: { readonly canWrite: boolean; readonly onAdd: () => void }) {
  const text = useText(tagsText);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} hiddenFrom="sm" aria-label={text.more}>
          <IconDots {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlus {...icon} />} disabled={!canWrite} onClick={onAdd}>
          {text.addTag}
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload {...icon} />} {...exportLink}>
          {text.export}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Adding tags, importing them, and all of them as a file. */
export function PageActions({ canWrite, suffix }: Props) {
  const text = useText(tagsText);
  const [, go] = useLocation();
  const to = (part: string) => () => go(`/tags/${part}${suffix}`);
  return (
    <>
      <Button variant="default" visibleFrom="sm" leftSection={<IconDownload {...icon} />} {...exportLink}>
        {text.export}
      </Button>
      <WriteButton
        variant="default"
        visibleFrom="sm"
        leftSection={<IconPlus {...icon} />}
        onClick={to('new')}
      >
        {text.addTag}
      </WriteButton>
      <WriteButton leftSection={<IconUpload {...icon} />} onClick={to('import')}>
        {text.import}
      </WriteButton>
      <More canWrite={canWrite} onAdd={to('new')} />
    </>
  );
}
