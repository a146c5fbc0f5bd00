import { Badge, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useIsAdmin, useReaders } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { ClaimForm } from './claim-form.tsx';
import { IdentityFiles } from './identity-files.tsx';
import { ProvisionForm } from './provision-form.tsx';
import { keepIssued, useIssued, useUnclaimed } from './queries.ts';
import type { StepProps } from './step-props.ts';
import { UnclaimedList } from './unclaimed-list.tsx';

const ways = ['provision', 'claim', 'unclaimed'] as const;
type Way = (typeof ways)[number];

/** A reader gets its identity here, by the code on its box, or is waiting already. */
export function ReaderStep({ next, isDone }: StepProps) {
  const text = useText(setupText);
  const issued = useIssued();
  const goOn = () => {
    keepIssued(null);
    next(issued?.readerId ?? undefined);
  };
  if (issued) return <IdentityFiles issued={issued} onDone={goOn} />;
  return (
    <Stack>
      <Text>{text.readerWhy}</Text>
      <KnownReaders />
      <Ways next={next} />
      <Group>
        <Button variant="default" onClick={() => next()}>
          {isDone ? text.next : text.skip}
        </Button>
      </Group>
    </Stack>
  );
}

function KnownReaders() {
  const text = useText(setupText);
  const readers = useReaders().data ?? [];
  if (readers.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {text.readersThere}
      </Title>
      <Group component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {readers.map(({ id, name }) => (
          <li key={id}>
            <Badge variant="light" color="gray" size="lg" tt="none" maw="100%">
              <span className="anything">{name}</span>
            </Badge>
          </li>
        ))}
      </Group>
    </div>
  );
}

function Ways({ next }: Pick<StepProps, 'next'>) {
  const text = useText(setupText);
  const labelId = useId();
  const isAdmin = useIsAdmin();
  const [params] = useSearchParams();
  const named = ways.find((one) => one === params.get('way'));
  // Everybody may claim by a code, only administrators do the rest.
  const [way, setWay] = useState<Way>(named ?? (isAdmin ? 'provision' : 'claim'));
  const waiting = useUnclaimed().data?.length;
  const labels = {
    ...text.ways,
    unclaimed: waiting === undefined ? text.ways.unclaimed : `${text.ways.unclaimed} (${waiting})`,
  };
  return (
    <>
      <div>
        <Text id={labelId} fw={600} size="sm" mb={4}>
          {text.way}
        </Text>
        <SegmentedControl
          aria-labelledby={labelId}
          value={way}
          onChange={setWay}
          data={ways.map((value) => ({ value, label: labels[value] }))}
          fullWidth
        />
      </div>
      {way === 'provision' && <ProvisionForm />}
      {way === 'claim' && <ClaimForm onClaimed={next} />}
      {way === 'unclaimed' && <UnclaimedList onClaimed={next} />}
    </>
  );
}
