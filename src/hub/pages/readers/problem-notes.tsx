import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useText } from '../../text/language.ts';
import { problemText } from '../../text/reader-problems.ts';
import { type Problem, toneOf } from './reader-problems.ts';

/** Each problem in words, with what to do about it. */
export function ProblemNotes({ problems }: { readonly problems: readonly Problem[] }) {
  const text = useText(problemText);
  return (
    <Stack gap="xs">
      {problems.map((problem) => {
        const tone = toneOf(problem);
        const Icon = tone === 'gray' ? IconInfoCircle : IconAlertTriangle;
        return (
          <Alert
            key={problem}
            color={tone}
            variant="light"
            icon={<Icon aria-hidden />}
            title={text[problem].what}
          >
            {text[problem].todo}
          </Alert>
        );
      })}
    </Stack>
  );
}

/** The first problem, short, for a card. */
export function FirstProblem({ problems }: { readonly problems: readonly Problem[] }) {
  const text = useText(problemText);
  const [first, ...others] = problems;
  if (!first) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {text[first].what}
        {others.length > 0 && ` · ${others.map((one) => text[one].what).join(' · ')}`}
      </Text>
      <Text size="sm" c="dimmed">
        {text[first].todo}
      </Text>
    </div>
  );
}
