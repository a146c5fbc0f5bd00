/** Turned into bytes at this length: all of a drawing at once would hold the event loop. */
const PART_LENGTH = 16 * 1024;

/** Writes XML, an element without content as one tag. */
export class SvgWriter {
  readonly #parts: Buffer[] = [];
  #part = '';
  #isTagOpen = false;
  /** Characters written so far. */
  length = 0;

  open(name: string, attributes: Iterable<readonly [name: string, value: string]>): void {
    this.#endTag();
    let tag = `<${name}`;
    for (const [attribute, value] of attributes) tag += ` ${attribute}="${escaped(value)}"`;
    this.#add(tag);
    this.#isTagOpen = true;
  }

  text(text: string): void {
    if (text === '') return;
    this.#endTag();
    this.#add(escaped(text));
  }

  close(name: string): void {
    this.#add(this.#isTagOpen ? '/>' : `</${name}>`);
    this.#isTagOpen = false;
  }

  /** All of it, in UTF-8. Nothing can be written after it. */
  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#parts);
  }

  #endTag(): void {
    if (this.#isTagOpen) this.#add('>');
    this.#isTagOpen = false;
  }

  #add(part: string): void {
    this.#part += part;
    this.length += part.length;
    if (this.#part.length > PART_LENGTH) this.#flush();
  }

  #flush(): void {
    this.#parts.push(Buffer.from(this.#part));
    this.#part = '';
  }
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

// White space too: a reader turns what is not escaped into plain spaces in attributes.
function escaped(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (one) => ESCAPES.get(one) ?? `&#${one.charCodeAt(0)};`);
}
