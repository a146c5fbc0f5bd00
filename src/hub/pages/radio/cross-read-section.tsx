import { Stack, Text, UnstyledButton } from '@mantine/core';
import { IconArrowsSplit2 } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import type { CrossReads } from '../../../contract/radio.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { decimal } from '../../time/numbers.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { type MatrixRow, matrixOf } from './matrix.ts';
import { PairDrawer } from './pair-drawer.tsx';
import { useCrossReads } from './queries.ts';
import classes from './radio.module.css';
import { Section } from './section.tsx';

interface Props {
  /** Puts the policy into the trial below, for a zone. */
  readonly tryStable: (zoneId: string) => void;
}

const FIVE_MINUTES = 5;

/** Which zones hear the same tags: the reason why tags seem to jump between them. */
export function CrossReadSection({ tryStable }: Props) {
  const text = useText(radioText);
  const query = useCrossReads();
  return (
    <Section id="cross" title={text.cross} hint={text.crossHint(text.minutes(FIVE_MINUTES))}>
      <Loaded query={query}>
        {(crossReads) => (
          <>
            {crossReads.pairs.length === 0 ? <Apart /> : <Matrix crossReads={crossReads} />}
            <PairDrawer crossReads={crossReads} tryStable={tryStable} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Apart() {
  const text = useText(radioText);
  return (
    <Empty icon={IconArrowsSplit2} title={text.crossEmpty}>
      <Text size="sm">{text.crossEmptyHow}</Text>
    </Empty>
  );
}

const Name = ({ name }: { readonly name: string }) => (
  <span className={`anything ${classes.name}`} title={name}>
    {name}
  </span>
);

function Matrix({ crossReads }: { readonly crossReads: CrossReads }) {
  const text = useText(radioText);
  const { rows, left } = matrixOf(crossReads);
  return (
    <Stack gap="xs">
      {/* A scrolling box that holds buttons is reached by them. */}
      <div style={{ overflowX: 'auto', maxWidth: '100%' }}>
        <table className={classes.matrix} aria-label={text.crossTable}>
          <thead>
            <tr>
              <td />
              {rows.map(({ zoneId, zoneName }) => (
                <th key={zoneId} scope="col">
                  <Name name={zoneName} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.zoneId} row={row} names={rows} />
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <Text size="sm" c="dimmed">
          {text.zonesLeft(left)}
        </Text>
      )}
    </Stack>
  );
}

function Row({ row, names }: { readonly row: MatrixRow; readonly names: readonly MatrixRow[] }) {
  const text = useText(radioText);
  const { language } = useLanguage();
  return (
    <tr>
      <th scope="row">
        <Name name={row.zoneName} />
      </th>
      {row.cells.map((cell, at) => (
        <td key={names[at]?.zoneId} className="figures">
          {cell ? (
            <Cell row={row} cell={cell} other={names[at]?.zoneName ?? ''} />
          ) : (
            <div className={classes.own} title={text.own(row.tags)}>
              {decimal(row.tags, language)}
            </div>
          )}
        </td>
      ))}
    </tr>
  );
}

interface CellProps {
  readonly row: MatrixRow;
  readonly cell: NonNullable<MatrixRow['cells'][number]>;
  readonly other: string;
}

/** More than this would make the number hard to read. */
const DARKEST_PERCENT = 45;

function Cell({ row, cell, other }: CellProps) {
  const text = useText(radioText);
  const { language } = useLanguage();
  const [, setParams] = useSearchParams();
  if (cell.tags === 0) return <div className={classes.cell}>–</div>;
  const shade = Math.round(6 + cell.part * (DARKEST_PERCENT - 6));
  return (
    <UnstyledButton
      className={classes.cell}
      style={{
        background: `color-mix(in srgb, var(--mantine-color-petrol-5) ${shade}%, var(--mantine-color-body))`,
      }}
      aria-label={text.cell(cell.tags, row.zoneName, other)}
      onClick={() => setParams({ pair: `${row.zoneId}~${cell.zoneId}` })}
    >
      {decimal(cell.tags, language)}
    </UnstyledButton>
  );
}
