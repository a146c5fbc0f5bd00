import type { Gs1Scheme } from './epc-schemes.ts';

/** One piece of what an EPC says, for people: `{ name: 'gtin', label: 'GTIN', value: '09506000134352' }`. */
export interface EpcElement {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** The fields of an EPC as its bits have them. `pieces` is an ITIP's piece and total. */
export interface EpcParts {
  readonly prefix: string;
  readonly reference: string;
  readonly serial: string;
  readonly pieces?: readonly [piece: string, total: string];
}

/** The GS1 key an EPC stands for, with its check digit, and where GS1 Digital Link finds it. */
export interface Gs1Key {
  readonly elements: readonly EpcElement[];
  /** Path of the Digital Link. */
  readonly path: string;
}

/** The check digit of GS1 keys: weights 3 and 1 from the right. */
function checkDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits.at(-1 - i)) * (i % 2 === 0 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
}

const checked = (digits: string): string => digits + checkDigit(digits);
const element = (name: string, label: string, value: string): EpcElement => ({ name, label, value });
const serialOf = (value: string): EpcElement => element('serial', 'Serial', value);

// The indicator or extension digit is the first of the reference in the bits and the first of the key.
const led = ({ prefix, reference }: EpcParts): string =>
  checked(reference.slice(0, 1) + prefix + reference.slice(1));
const plain = ({ prefix, reference }: EpcParts): string => checked(prefix + reference);

/** In a path of a Digital Link everything but letters, digits and `-._` is escaped. */
function escaped(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*~]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

type KeyOf = (parts: EpcParts) => Gs1Key;

function single(
  name: string,
  label: string,
  { ai, value }: { ai: string; value: (parts: EpcParts) => string },
): KeyOf {
  return (parts) => ({
    elements: [element(name, label, value(parts))],
    path: `${ai}/${escaped(value(parts))}`,
  });
}

const keys: Readonly<Record<Gs1Scheme, KeyOf>> = {
  sgtin: (parts) => {
    const gtin = led(parts);
    return {
      elements: [element('gtin', 'GTIN', gtin), serialOf(parts.serial)],
      path: `01/${gtin}/21/${escaped(parts.serial)}`,
    };
  },
  sgln: (parts) => {
    const gln = plain(parts);
    // An extension of 0 stands for none.
    const hasExtension = parts.serial !== '0';
    return {
      elements: [
        element('gln', 'GLN', gln),
        ...(hasExtension ? [element('extension', 'Extension', parts.serial)] : []),
      ],
      path: `414/${gln}${hasExtension ? `/254/${escaped(parts.serial)}` : ''}`,
    };
  },
  grai: (parts) => {
    const grai = plain(parts);
    return {
      elements: [element('grai', 'GRAI', grai), serialOf(parts.serial)],
      path: `8003/0${grai}${escaped(parts.serial)}`,
    };
  },
  gdti: (parts) => {
    const gdti = plain(parts);
    return {
      elements: [element('gdti', 'GDTI', gdti), serialOf(parts.serial)],
      path: `253/${gdti}${escaped(parts.serial)}`,
    };
  },
  sgcn: (parts) => {
    const gcn = plain(parts);
    return {
      elements: [element('gcn', 'GCN', gcn), serialOf(parts.serial)],
      path: `255/${gcn}${parts.serial}`,
    };
  },
  cpi: ({ prefix, reference, serial }) => ({
    elements: [element('cpi', 'CPI', prefix + reference), serialOf(serial)],
    path: `8010/${escaped(prefix + reference)}/8011/${serial}`,
  }),
  itip: (parts) => {
    const [piece, total] = parts.pieces ?? ['', ''];
    const gtin = led(parts);
    return {
      elements: [
        element('gtin', 'GTIN', gtin),
        element('piece', 'Piece', `${piece} of ${total}`),
        serialOf(parts.serial),
      ],
      path: `8006/${gtin}${piece}${total}/21/${escaped(parts.serial)}`,
    };
  },
  sscc: single('sscc', 'SSCC', { ai: '00', value: led }),
  gsrn: single('gsrn', 'GSRN', { ai: '8018', value: plain }),
  gsrnp: single('gsrnp', 'GSRNP', { ai: '8017', value: plain }),
  giai: single('giai', 'GIAI', { ai: '8004', value: ({ prefix, reference }) => prefix + reference }),
};

/** What the fields of a GS1 EPC say: the key with its check digit first. */
export function gs1KeyOf(scheme: Gs1Scheme, parts: EpcParts): Gs1Key {
  return keys[scheme](parts);
}
