import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names with their values, two columns where there is room. */
export function FactList({ facts }: Props) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} spacing="sm" m={0}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} className="anything figures">
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
