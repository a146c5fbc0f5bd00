import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly hint?: string | undefined;
}

/** Names and values, side by side where there is room. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, lg: 4 }} spacing="lg" className={classes.list}>
      {facts.map(({ name, value, hint }) => (
        <Stack key={name} gap={0} miw={0}>
          <Text component="dt" size="sm" c="dimmed" className="anything">
            {name}
          </Text>
          <Text component="dd" fw={600} m={0} className="figures anything">
            {value}
            {hint && (
              <Text span size="xs" c="dimmed" display="block" fw={400}>
                {hint}
              </Text>
            )}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
