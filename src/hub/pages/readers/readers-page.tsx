import { Alert, Anchor, Button, SimpleGrid, Text } from '@mantine/core';
import { IconPlus, IconRouter } from '@tabler/icons-react';
import { Link, useRoute } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { useReaders } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { shellText } from '../../text/shell.ts';
import { byName } from '../../ui/by-name.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { useUnclaimed } from '../setup/queries.ts';
import { ReaderCard } from './reader-card.tsx';
import { ReaderDrawer } from './reader-drawer.tsx';

const AddReader = () => {
  const text = useText(readersText);
  return (
    <Button component={Link} href="/setup/reader" leftSection={<IconPlus size={16} aria-hidden />}>
      {text.add}
    </Button>
  );
};

/** Readers that have an identity and are in nobody's service. */
function Waiting() {
  const text = useText(readersText);
  const count = useUnclaimed().data?.length ?? 0;
  if (count === 0) return null;
  return (
    <Alert color="blue" variant="light">
      {text.waiting(count)}{' '}
      <Anchor component={Link} href="/setup/reader?way=unclaimed" size="sm">
        {text.toWaiting}
      </Anchor>
    </Alert>
  );
}

function Wall({ readers }: { readonly readers: readonly Reader[] }) {
  const text = useText(readersText);
  if (readers.length === 0)
    return (
      <Empty icon={IconRouter} title={text.empty}>
        <Text maw={480}>{text.emptyHow}</Text>
        <AddReader />
      </Empty>
    );
  const reading = readers.filter(({ displayStatus }) => displayStatus === 'Online and Reading').length;
  return (
    <>
      <Text c="dimmed" role="status">
        {text.count(reading, readers.length)}
      </Text>
      <SimpleGrid component="ul" cols={{ base: 1, sm: 2, xl: 3 }} p={0} m={0} style={{ listStyle: 'none' }}>
        {byName(readers, ({ name }) => name).map((reader) => (
          <ReaderCard key={reader.id} reader={reader} />
        ))}
      </SimpleGrid>
    </>
  );
}

/** /readers: all of them on a wall; /readers/{id}/{tab}: one of them beside it. */
export function ReadersPage() {
  const text = useText(shellText);
  const readers = useReaders();
  const [isOpen, params] = useRoute('/readers/:id/:tab?');
  return (
    <Page title={text.readers} actions={readers.data?.length ? <AddReader /> : null}>
      <Waiting />
      <Loaded query={readers}>{(all) => <Wall readers={all} />}</Loaded>
      <ReaderDrawer id={isOpen ? params.id : null} tab={params?.tab} readers={readers} />
    </Page>
  );
}
