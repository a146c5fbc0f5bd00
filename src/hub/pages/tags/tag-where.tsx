import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import type { TagLocation } from '../../../contract/tag-location.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { tagText } from '../../text/tags.ts';
import { percent } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useTagLocation } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';

function Candidate({ candidate }: { readonly candidate: TagLocation['candidates'][number] }) {
  const text = useText(tagText);
  const { language } = useLanguage();
  const share = percent(candidate.score, language);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="anything">
          {candidate.zoneName}
        </Text>
        <Text size="sm" className="figures">
          {text.share(share)}
        </Text>
      </Group>
      <Progress value={candidate.score * 100} aria-hidden />
      <Text size="xs" c="dimmed">
        {candidate.reads > 0 && `${text.reads(candidate.reads)} · `}
        {text.lastRead} <When at={candidate.lastReadAt} />
      </Text>
    </Stack>
  );
}

function Why({ location }: { readonly location: TagLocation }) {
  const text = useText(tagText);
  return (
    <Stack gap="sm">
      <Text size="sm">{text[location.policy]}</Text>
      {location.candidates.length === 0 && (
        <Text size="sm" c="dimmed">
          {text.noEvidence}
        </Text>
      )}
      {location.candidates.map((candidate) => (
        <Candidate key={candidate.zoneId} candidate={candidate} />
      ))}
    </Stack>
  );
}

function Where({ location }: { readonly location: TagLocation }) {
  const text = useText(tagText);
  return (
    <Stack gap={4}>
      {location.zoneName === null ? (
        <Text>{text.nowhere}</Text>
      ) : (
        <Group gap="xs">
          <Text fw={600} size="lg" className="anything">
            {location.zoneName}
          </Text>
          <Badge variant="light" tt="none" color={location.present ? 'green' : 'gray'}>
            {location.present ? text.present : text.lastKnown}
          </Badge>
        </Group>
      )}
      <Text size="sm" c="dimmed">
        {location.since && (
          <>
            {text.arrived} <When at={location.since} />
            {' · '}
          </>
        )}
        {text.lastRead} {location.lastSeenAt ? <When at={location.lastSeenAt} /> : text.never}
      </Text>
    </Stack>
  );
}

/** Where the tag is, and why it is held to be there. */
export function TagWhere({ epc }: { readonly epc: string }) {
  const text = useText(tagText);
  const location = useTagLocation(epc);
  return (
    <Loaded query={location}>
      {(data) =>
        data && (
          <>
            <TagSection title={text.where}>
              <Where location={data} />
            </TagSection>
            {data.lastSeenAt && (
              <TagSection title={text.why}>
                <Why location={data} />
              </TagSection>
            )}
          </>
        )
      }
    </Loaded>
  );
}
