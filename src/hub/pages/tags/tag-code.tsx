import { Table, Text } from '@mantine/core';
import type { EpcReadingAnswer } from '../../../contract/epc-reading.ts';
import { useText } from '../../text/language.ts';
import { tagText } from '../../text/tags.ts';
import { useEpcReading } from './tag-queries.ts';
import { TagSection } from './tag-section.tsx';

function Elements({ reading }: { readonly reading: EpcReadingAnswer }) {
  const text = useText(tagText);
  const rows = reading.elements.map(({ name, label, value }) => [name, label, value] as const);
  if (reading.uri) rows.push(['uri', text.uri, reading.uri]);
  if (rows.length === 0) return null;
  return (
    <Table withRowBorders={false} verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {rows.map(([name, label, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="40%" fw={400}>
              {label}
            </Table.Th>
            <Table.Td className="code">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What the EPC says of itself by the rules of GS1. Left out where the appliance cannot tell. */
export function TagCode({ epc }: { readonly epc: string }) {
  const text = useText(tagText);
  const { data } = useEpcReading(epc);
  if (!data) return null;
  return (
    <TagSection title={text.code}>
      <Text size="sm" className="anything">
        {data.text}
      </Text>
      {data.problem && data.problem !== data.text && (
        <Text size="sm" c="dimmed" className="anything">
          {data.problem}
        </Text>
      )}
      <Elements reading={data} />
    </TagSection>
  );
}
