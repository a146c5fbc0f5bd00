import { setImmediate as nextTurn } from 'node:timers/promises';

/** The JSON of an object with one long list as its last member, some of its items at a time. */
export async function* jsonInPieces(
  object: object,
  last: Readonly<Record<string, readonly unknown[]>>,
  itemsPerPiece: number,
): AsyncGenerator<string> {
  const [[name, items] = ['', []]] = Object.entries(last);
  yield `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:[`;
  for (let at = 0; at < items.length; at += itemsPerPiece) {
    const piece = JSON.stringify(items.slice(at, at + itemsPerPiece)).slice(1, -1);
    yield at === 0 ? piece : `,${piece}`;
    await nextTurn();
  }
  yield ']}';
}
