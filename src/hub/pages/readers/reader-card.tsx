import { Badge, Group, Paper, Text, Title } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { Link } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { useNow } from '../../time/now.ts';
import { decimal } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { isEdited } from './antenna-draft.ts';
import { CommandProgress, isNews } from './command-progress.tsx';
import { useDraft } from './drafts.ts';
import { FirstProblem } from './problem-notes.tsx';
import { useDiagnostics, useRate } from './queries.ts';
import classes from './reader-card.module.css';
import { problemsOf } from './reader-problems.ts';
import { StartStop } from './start-stop.tsx';
import { StatusBadge } from './status-badge.tsx';

/** Reads per second now. */
export function Rate({ readerId }: { readonly readerId: string }) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const rate = useRate(readerId);
  return (
    <Text component="span" className="figures">
      <Text component="span" fz={28} fw={600}>
        {rate === null ? '–' : decimal(rate, language, rate < 10 ? 1 : 0)}
      </Text>{' '}
      <Text component="span" size="sm" c="dimmed">
        {text.readsPerSecond}
      </Text>
    </Text>
  );
}

function Head({ reader }: { readonly reader: Reader }) {
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
      <div style={{ minWidth: 0 }}>
        <Title order={2} size="h4" lineClamp={2}>
          <Link href={`/readers/${reader.id}`} className={`${classes.name} anything`} dir="auto">
            {reader.name}
          </Link>
        </Title>
        <Text size="sm" c="dimmed" className="anything">
          {reader.model} · {reader.serial}
        </Text>
      </div>
      <StatusBadge status={reader.displayStatus} />
    </Group>
  );
}

/** One reader on the wall: what it does, why it does not, and what to do about it. */
export function ReaderCard({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const now = useNow();
  // Diagnostics of hundreds of readers would be many calls: only those that are looked at are asked for.
  const { ref, entry } = useIntersection();
  const diagnostics = useDiagnostics(reader.id, entry?.isIntersecting === true).data;
  const problems = problemsOf({ reader, diagnostics, now });
  const hasDraft = isEdited(useDraft(reader.id));
  return (
    <Paper ref={ref} withBorder p="md" className={classes.card ?? ''} component="li">
      <Head reader={reader} />
      <Group justify="space-between" align="baseline">
        <Rate readerId={reader.id} />
        <Text size="sm" c="dimmed">
          {reader.lastEventAt ? text.lastRead : text.lastSeen}: <Since reader={reader} />
        </Text>
      </Group>
      <FirstProblem problems={problems} />
      <Group justify="space-between" className={classes.foot ?? ''}>
        <div>
          {hasDraft && (
            <Badge color="orange" variant="light" tt="none">
              {text.unsaved}
            </Badge>
          )}
          {isNews(reader.lastCommand) && <CommandProgress command={reader.lastCommand} />}
        </div>
        <StartStop reader={reader} />
      </Group>
    </Paper>
  );
}

function Since({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const at = reader.lastEventAt ?? reader.lastSeenAt;
  return at ? <When at={at} /> : text.noRate;
}
