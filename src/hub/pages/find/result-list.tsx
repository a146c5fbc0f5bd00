import { Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import classes from './find.module.css';
import { ResultRow } from './result-row.tsx';
import type { Result } from './results.ts';

export const LIST_ID = 'found';

/** The id of the element of a result. */
export const optionId = (index: number): string => `found-${index}`;

interface Props {
  readonly results: readonly Result[];
  readonly active: number;
  readonly isCut: boolean;
  /** There is an answer above already. */
  readonly isBeside: boolean;
  readonly onOpen: (key: string) => void;
}

/** What was found, best first. */
export function ResultList({ results, active, isCut, isBeside, onOpen }: Props) {
  const text = useText(findText);
  useEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {isBeside ? text.others : text.results}
      </Title>
      <Paper withBorder className={classes.list}>
        <div role="listbox" id={LIST_ID} aria-label={text.results}>
          {results.map((result, index) => (
            <ResultRow
              key={result.key}
              result={result}
              id={optionId(index)}
              isActive={index === active}
              onOpen={onOpen}
            />
          ))}
        </div>
      </Paper>
      {isCut && (
        <Text size="sm" c="dimmed">
          {text.cut}
        </Text>
      )}
    </Stack>
  );
}
