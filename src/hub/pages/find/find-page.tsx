import { Box, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AnswerCard } from './answer-card.tsx';
import { FindField } from './find-field.tsx';
import { NothingFound } from './nothing-found.tsx';
import { type Found, useFound } from './queries.ts';
import { LIST_ID, optionId, ResultList } from './result-list.tsx';
import { clearAnswer, type Result } from './results.ts';
import { useQueryText } from './use-query-text.ts';

function Hint() {
  const text = useText(findText);
  return (
    <Stack gap="xs" maw={640}>
      <Text>{text.hint}</Text>
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {text.keys}
      </Text>
    </Stack>
  );
}

/** What is opened, or surely meant, and everything else. */
function split(found: Found | undefined, q: string, open: string | null) {
  const results = found?.results ?? [];
  const isOfQuery = found?.q === q;
  const clear = isOfQuery ? (clearAnswer(results)?.key ?? null) : null;
  const shown = open ?? clear;
  const labelOf = ({ tag }: Result) => tag?.label || null;
  const label = results.filter(({ key }) => key === shown).map(labelOf)[0] ?? null;
  return {
    shown,
    label,
    others: results.filter(({ key }) => key !== shown),
    count: results.length,
    isOfQuery,
  };
}

/** Answers where something is: `?q=` is searched, `?open=` is the result that is opened. */
export function FindPage() {
  const text = useText(findText);
  const { typed, q, open, type, now, openResult } = useQueryText();
  const query = useFound(q);
  const { shown, label, others, count, isOfQuery } = split(query.data, q, open);
  const [active, choose] = useState({ q: '', index: -1 });
  // Whoever types on begins at the top again.
  const index = active.q === `${q} ${shown}` ? Math.min(active.index, others.length - 1) : -1;
  const step = (by: 1 | -1) =>
    choose({ q: `${q} ${shown}`, index: Math.max(-1, Math.min(others.length - 1, index + by)) });
  const chosen = others[index];
  const isListed = q !== '' && others.length > 0;
  const status = !isOfQuery ? text.searching : text.found(count, query.data?.isCut === true);
  return (
    <Page title={text.title}>
      <Stack gap="lg" maw={880}>
        <FindField
          typed={typed}
          onType={type}
          onEnter={() => (chosen ? openResult(chosen.key) : now())}
          onStep={step}
          listId={isListed ? LIST_ID : undefined}
          activeId={chosen ? optionId(index) : undefined}
        />
        <VisuallyHidden role="status">{q !== '' && !query.error && status}</VisuallyHidden>
        {q === '' && open === null && <Hint />}
        {shown !== null && <AnswerCard key={shown} open={shown} label={label} />}
        {q !== '' && (
          <Loaded query={query}>
            {(found) => (
              <Box opacity={isOfQuery ? 1 : 0.6}>
                {isOfQuery && count === 0 && <NothingFound q={found.q} />}
                {isListed && (
                  <ResultList
                    results={others}
                    active={index}
                    isCut={found.isCut}
                    isBeside={shown !== null}
                    onOpen={openResult}
                  />
                )}
              </Box>
            )}
          </Loaded>
        )}
      </Stack>
    </Page>
  );
}
