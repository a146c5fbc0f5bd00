// The widths of the bars and spaces of each value, beginning with a bar (ISO/IEC 15417).
const SYMBOLS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'
).split(' ');
const START_B = 104;
const STOP = 106;
/** Longer ones would be too fine for a label to be read. */
const LONGEST = 64;

/** A bar: where it begins and how wide it is, in modules. */
export interface Bar {
  readonly x: number;
  readonly width: number;
}

export interface Barcode {
  readonly bars: readonly Bar[];
  /** In modules, without the quiet zone of ten on either side. */
  readonly width: number;
}

/** The values of a text in Code 128 B: start, one a character, check, stop. Null: it has other than printable ASCII, or too much. */
export function code128Values(text: string): readonly number[] | null {
  if (!/^[ -~]+$/.test(text) || text.length > LONGEST) return null;
  const values = [...text].map((character) => character.charCodeAt(0) - 32);
  const check = values.reduce((sum, value, at) => sum + value * (at + 1), START_B) % 103;
  return [START_B, ...values, check, STOP];
}

/** A text as a Code 128 B barcode; null as `code128Values`. */
export function code128(text: string): Barcode | null {
  const values = code128Values(text);
  if (!values) return null;
  const widths = values.flatMap((value) => [...(SYMBOLS[value] ?? '')].map(Number));
  const bars: Bar[] = [];
  let x = 0;
  widths.forEach((width, at) => {
    if (at % 2 === 0) bars.push({ x, width });
    x += width;
  });
  return { bars, width: x };
}
