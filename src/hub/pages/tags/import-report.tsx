import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { ImportReport } from '../../../contract/import.ts';
import { useText } from '../../text/language.ts';
import { importText } from '../../text/tags.ts';
import { useCount } from '../../time/numbers.ts';
import { saveCsv } from '../../ui/save-file.ts';
import styles from './import-report.module.css';

const save = (errors: ImportReport['errors']) =>
  saveCsv('import-errors.csv', [
    ['line', 'epc', 'reason'],
    ...errors.map(({ line, epc, reason }) => [String(line), epc, reason]),
  ]);

function Errors({ errors }: Pick<ImportReport, 'errors'>) {
  const text = useText(importText);
  const box = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: errors.length,
    getScrollElement: () => box.current,
    estimateSize: () => 56,
    overscan: 6,
  });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} size="sm">
          {text.errors(errors.length)}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => save(errors)}
        >
          {text.download}
        </Button>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keys only when it takes the focus */}
      <section ref={box} className={styles.box} aria-label={text.errors(errors.length)} tabIndex={0}>
        <ol className={styles.body} style={{ height: lines.getTotalSize(), margin: 0, padding: 0 }}>
          {lines.getVirtualItems().map(({ index, start }) => {
            const { line, epc, reason } = errors[index] ?? { line: 0, reason: '' };
            return (
              <li
                key={index}
                ref={lines.measureElement}
                data-index={index}
                className={styles.line}
                style={{ top: start }}
                aria-posinset={index + 1}
                aria-setsize={errors.length}
              >
                <span className="figures">
                  {text.line} {line}
                </span>
                <span className="anything">{reason}</span>
                {epc !== undefined && <span className={`code ${styles.epc}`}>{epc.slice(0, 200)}</span>}
              </li>
            );
          })}
        </ol>
      </section>
    </Stack>
  );
}

interface Props {
  readonly report: ImportReport;
  /** What the figures mean: what would be done, or what was. */
  readonly says: string;
  readonly children: ReactNode;
}

/** What an import did or would do. */
export function ImportReportView({ report, says, children }: Props) {
  const text = useText(importText);
  const shown = useCount();
  const figures = [
    [text.rows, report.total],
    [text.imported, report.imported],
    [text.updated, report.updated],
    [text.skipped, report.errors.length],
  ] as const;
  return (
    <Stack>
      <Text role="status">{says}</Text>
      <SimpleGrid cols={{ base: 2, xs: 4 }}>
        {figures.map(([label, count]) => (
          <div key={label}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text size="xl" fw={600} className="figures">
              {shown(count)}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <Text size="sm" className="anything" lineClamp={6}>
        {text.fields}: {report.fields.join(', ') || text.noFields}
      </Text>
      {report.errors.length > 0 && <Errors errors={report.errors} />}
      <Group>{children}</Group>
    </Stack>
  );
}
