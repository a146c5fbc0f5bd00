import { textOf } from '../../domain/value.ts';
import { Pace } from '../../lib/pace.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { currentValues } from '../../store/tag-data.ts';
import { encodeText } from './generalised-utf8.ts';

const PIECE_CHARACTERS = 64 * 1024;

/**
 * The CSV of an organisation's tags in pieces, each of one moment; between pieces nothing of the store is held. A tag made
 * or deleted meanwhile may be in it or not.
 */
export async function* exportRows(
  store: Store,
  orgNo: number,
  fields: readonly FieldRecord[],
): AsyncGenerator<Buffer> {
  yield encodeText(lineOf(['epc', ...fields.map(({ key }) => key)]));
  const pace = new Pace();
  let after = '';
  for (;;) {
    const piece = pieceOf(store, { orgNo, after, fields, pace });
    if (piece === null) return;
    after = piece.last;
    yield encodeText(piece.text);
    await pace.pause();
  }
}

interface From {
  readonly orgNo: number;
  /** The EPC before the piece. */
  readonly after: string;
  readonly fields: readonly FieldRecord[];
  readonly pace: Pace;
}

function pieceOf(
  store: Store,
  { orgNo, after, fields, pace }: From,
): { readonly text: string; readonly last: string } | null {
  let text = '';
  let last = after;
  for (const { key, value: tagNo } of store.range(tables.tagByEpc, {
    start: [orgNo, after],
    end: [orgNo + 1],
  })) {
    const [, epc] = key;
    if (epc === after) continue;
    last = epc;
    const values = currentValues(store, tagNo);
    text += lineOf([epc, ...fields.map(({ no }) => cellOf(values.get(no)?.value))]);
    if (text.length >= PIECE_CHARACTERS || pace.due) break;
  }
  return last === after ? null : { text, last };
}

function cellOf(value: string | number | boolean | undefined): string {
  return value === undefined ? '' : textOf(value);
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`;
}

// As RFC 4180 has it. Line ends are LF: every reader takes them, tools that go by lines too.
function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const NEEDS_QUOTES = /[",\r\n]/;
