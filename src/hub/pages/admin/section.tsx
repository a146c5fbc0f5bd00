import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly order?: 2 | 3;
}

/** A part of the administration with its heading and one sentence on what it is for. */
export function Section({ title, about, actions, children, order = 2 }: Props) {
  return (
    <Stack component="section" gap="md">
      <Group justify="space-between" gap="sm" mih={36}>
        <Title order={order} size={order === 2 ? 'h3' : 'h4'}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {about && (
        <Text size="sm" c="dimmed" maw={640} mt={-8}>
          {about}
        </Text>
      )}
      {children}
    </Stack>
  );
}
