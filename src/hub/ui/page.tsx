import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface Props {
  readonly title: string;
  /** Buttons and switches for the whole page. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its heading, which is also the window's title. */
export function Page({ title, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Tagkeep`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
