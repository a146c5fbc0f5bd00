import { Anchor, ScrollArea, Table } from '@mantine/core';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import { type Place, short } from '../../time/format.ts';
import type { Stay } from './track.ts';

interface Props {
  readonly stays: readonly Stay[];
  readonly place: Place;
  readonly onGo: (at: number) => void;
}

/** A day in words: each stay leads to its beginning. */
export function StayTable({ stays, place, onGo }: Props) {
  const text = useText(floorText);
  return (
    <ScrollArea.Autosize mah={240}>
      <Table aria-label={text.stays} className="figures" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.from}</Table.Th>
            <Table.Th>{text.until}</Table.Th>
            <Table.Th>{text.zone}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {stays.map((stay) => (
            <Table.Tr key={`${stay.from} ${stay.zoneId}`}>
              <Table.Td>
                <Anchor component="button" type="button" size="sm" onClick={() => onGo(stay.from)}>
                  {short(stay.from, place)}
                </Anchor>
              </Table.Td>
              <Table.Td>{short(stay.to, place)}</Table.Td>
              <Table.Td className="anything">{stay.zoneName.slice(0, 200)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
