import { Badge, Group, Text } from '@mantine/core';
import type { TagLocation } from '../../../contract/tag-location.ts';
import { findText } from '../../text/find.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { percent } from '../../time/numbers.ts';
import { type Sureness, surenessOf } from './sureness.ts';

const looks = {
  certain: { color: 'green', word: 'certain' },
  likely: { color: 'blue', word: 'likely' },
  split: { color: 'orange', word: 'split' },
  'last-word': { color: 'blue', word: 'lastWord' },
  absent: { color: 'orange', word: 'absent' },
  nowhere: { color: 'gray', word: 'nowhere' },
} as const;

/** How sure the place is, in a word and in a sentence. */
export function SureLine({ location }: { readonly location: TagLocation }) {
  const text = useText(findText);
  const { language } = useLanguage();
  const sureness = surenessOf(location);
  const { color, word } = looks[sureness.level];
  const share = (part: number) => percent(part, language);
  return (
    <Group gap="xs">
      <Badge variant="light" color={color} tt="none" size="lg">
        {text[word]}
      </Badge>
      <Text span size="sm" className="anything">
        {why(sureness, location, { text, share })}
      </Text>
    </Group>
  );
}

interface Words {
  readonly text: (typeof findText)['en'];
  readonly share: (part: number) => string;
}

function why(
  { level, share: own, others }: Sureness,
  { zoneName }: TagLocation,
  { text, share }: Words,
): string {
  const [other] = others;
  if (level === 'likely') return text.likelyWhy(share(own), other?.zoneName ?? '');
  if (level === 'split')
    return text.splitWhy(
      [{ zoneName: zoneName ?? '', score: own }, ...others]
        .map((one) => `${one.zoneName} ${share(one.score)}`)
        .join(', '),
    );
  if (level === 'certain') return text.certainWhy;
  if (level === 'last-word') return text.lastWordWhy;
  return level === 'absent' ? text.absentWhy : text.nowhereWhy;
}
