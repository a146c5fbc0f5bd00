import { Button, Tooltip } from '@mantine/core';
import { IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { apiBase } from '../../api/call.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';

interface Props {
  readonly canWrite: boolean;
  /** What the address ends in. */
  readonly suffix: string;
}

/** Adding tags, importing them, and all of them as a file. */
export function PageActions({ canWrite, suffix }: Props) {
  const text = useText(tagsText);
  const common = useText(commonText);
  const [, go] = useLocation();
  const write = { 'data-disabled': !canWrite || undefined, 'aria-disabled': !canWrite };
  const to = (part: string) => () => canWrite && go(`/tags/${part}${suffix}`);
  return (
    <>
      <Button
        component="a"
        href={`${apiBase}/tags/export`}
        download
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {text.export}
      </Button>
      <Tooltip label={common.readOnlyWhy} disabled={canWrite}>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={to('new')}
          {...write}
        >
          {text.addTag}
        </Button>
      </Tooltip>
      <Tooltip label={common.readOnlyWhy} disabled={canWrite}>
        <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={to('import')} {...write}>
          {text.import}
        </Button>
      </Tooltip>
    </>
  );
}
