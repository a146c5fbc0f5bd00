import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface Props {
  readonly icon: ComponentType<{ 'aria-hidden'?: boolean }>;
  readonly title: string;
  readonly children?: ReactNode;
}

/** In place of a list with nothing in it: what would be here, and (children) how to get there. */
export function Empty({ icon: Icon, title, children }: Props) {
  return (
    <Stack align="center" gap="sm" py="xl" px="md" ta="center">
      <ThemeIcon size={56} radius="xl" variant="light">
        <Icon aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {children}
    </Stack>
  );
}
