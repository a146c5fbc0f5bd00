import { Button, List, Stack, Table, Text, Title } from '@mantine/core';
import { useSearchParams } from 'wouter';
import type { CrossReads } from '../../../contract/radio.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { db, dbm } from './figures.ts';
import { isClear, pairsOf, type SeenPair } from './strength.ts';

interface Props {
  readonly crossReads: CrossReads;
  readonly tryStable: (zoneId: string) => void;
}

/** Two zones that hear the same tags: which is the stronger, and what to do. `?pair=a~b` in the address opens it. */
export function PairDrawer({ crossReads, tryStable }: Props) {
  const text = useText(radioText);
  const [params, setParams] = useSearchParams();
  const [zoneId = '', otherId = ''] = (params.get('pair') ?? '').split('~');
  const nameOf = (id: string) => crossReads.zones.find((zone) => zone.zoneId === id)?.zoneName;
  const [name, other] = [nameOf(zoneId), nameOf(otherId)];
  const close = () => setParams({}, { replace: true });
  const pair = pairsOf(zoneId, crossReads).find((one) => one.otherId === otherId);
  const names = { name: cut(name ?? ''), other: cut(other ?? '') };
  return (
    <SideDrawer
      opened={name !== undefined && other !== undefined}
      onClose={close}
      size="md"
      title={text.pairTitle(names.name, names.other)}
    >
      {pair ? (
        <Pair
          names={names}
          pair={pair}
          tryStable={() => {
            close();
            tryStable(weakerOf(zoneId, pair));
          }}
        />
      ) : (
        <Text>{text.pairGone}</Text>
      )}
    </SideDrawer>
  );
}

// Where tags should not come to by accident.
const weakerOf = (zoneId: string, { strongerBy, otherId }: SeenPair) =>
  strongerBy !== null && strongerBy > 0 ? otherId : zoneId;

const NAME_MAX = 60;
const cut = (name: string) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name);

interface PairProps {
  readonly names: { readonly name: string; readonly other: string };
  readonly pair: SeenPair;
  readonly tryStable: () => void;
}

function Pair({ names, pair, tryStable }: PairProps) {
  const text = useText(radioText);
  const { strongerBy } = pair;
  const isOne = strongerBy !== null && isClear(strongerBy);
  const weaker = strongerBy !== null && strongerBy > 0 ? names.other : names.name;
  return (
    <Stack>
      <Text className="anything">
        {text.pairTags(pair.tags)} <Stronger names={names} by={strongerBy} />
      </Text>
      <Means names={names} pair={pair} />
      <Title order={3} size="h5">
        {text.doThis}
      </Title>
      <List spacing="xs" className="anything">
        <List.Item>{isOne ? text.lower(weaker) : text.lowerBoth}</List.Item>
        <List.Item>{text.useStable}</List.Item>
      </List>
      <Button variant="default" onClick={tryStable}>
        {text.tryStable}
      </Button>
    </Stack>
  );
}

function Stronger({ names, by }: { readonly names: PairProps['names']; readonly by: number | null }) {
  const text = useText(radioText);
  const { language } = useLanguage();
  if (by === null) return text.unknownSignal;
  return isClear(by) ? text.stronger(by > 0 ? names.name : names.other, db(by, language)) : text.alike;
}

function Means({ names, pair }: Omit<PairProps, 'tryStable'>) {
  const text = useText(radioText);
  const { language } = useLanguage();
  const words = (cdbm: number | null) => (cdbm === null ? '–' : dbm(cdbm, language));
  return (
    <Table layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.zone}</Table.Th>
          <Table.Th ta="right">{text.hears}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Table.Tr>
          <Table.Td className="anything">{names.name}</Table.Td>
          <Table.Td ta="right" className="figures">
            {words(pair.rssiCdbm)}
          </Table.Td>
        </Table.Tr>
        <Table.Tr>
          <Table.Td className="anything">{names.other}</Table.Td>
          <Table.Td ta="right" className="figures">
            {words(pair.otherRssiCdbm)}
          </Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  );
}
