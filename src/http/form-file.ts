import { MultipartParser } from 'formidable';

/** What the parser tells of: a piece of `buffer` from `start` to `end`, or none. */
interface Event {
  readonly name: string;
  readonly buffer?: Buffer;
  readonly start?: number;
  readonly end?: number;
}

const HEADERS_MAX_BYTES = 8 * 1024;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const FIELD_NAME = /^form-data\s*;(?:.*;)?\s*name=(?:"([^"]*)"|([^\s;"]+))/i;

/**
 * Finds the field `file` in a multipart form as it arrives and gives its bytes; other fields are passed over. Throws
 * what `refusal` makes of the reason for what is no form.
 */
export class FormFile {
  readonly #parser = new MultipartParser();
  readonly #refusal: (detail: string) => Error;
  /** Bytes of the file so far; null: the field has not come. */
  bytes: number | null = null;
  #headers = { name: '', value: '', bytes: 0 };
  #field: string | null = null;
  #isInFile = false;
  #isComplete = false;

  /** `contentType` is the request's, with the boundary. */
  constructor(contentType: string, refusal: (detail: string) => Error) {
    this.#refusal = refusal;
    const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
    const boundary = quoted ?? bare;
    if (boundary === undefined) throw this.#refusal('The Content-Type of the form names no boundary.');
    this.#parser.initWithBoundary(boundary);
    // Read from `errored`; without a listener the process would end.
    this.#parser.on('error', () => undefined);
  }

  /** The file's bytes in a chunk of the body. */
  write(chunk: Buffer): readonly Buffer[] {
    this.#parser.write(chunk);
    const found: Buffer[] = [];
    for (let event = this.#next(); event; event = this.#next()) {
      this.#take(event);
      if (event.name === 'partData' && this.#isInFile) found.push(pieceOf(event));
    }
    if (this.#parser.errored) throw this.#refusal(NOT_A_FORM);
    return found.length > 1 ? [Buffer.concat(found)] : found;
  }

  /** The body is over. */
  end(): void {
    if (!this.#isComplete) throw this.#refusal(NOT_A_FORM);
    this.#parser.destroy();
  }

  #next(): Event | null {
    return this.#parser.read();
  }

  #take(event: Event): void {
    if (event.name === 'partBegin') this.#field = null;
    else if (event.name === 'headersEnd') this.#begin();
    else if (event.name === 'partEnd') this.#isInFile = false;
    else if (event.name === 'end') this.#isComplete = true;
    else if (event.name === 'partData' && this.#isInFile) this.bytes = (this.bytes ?? 0) + sizeOf(event);
    else if (event.name.startsWith('header')) this.#takeHeader(event);
  }

  #takeHeader(event: Event): void {
    this.#headers.bytes += sizeOf(event);
    if (this.#headers.bytes > HEADERS_MAX_BYTES)
      throw this.#refusal('The headers of a field of the form are too long.');
    if (event.name === 'headerField') this.#headers.name += textOf(event);
    if (event.name === 'headerValue') this.#headers.value += textOf(event);
    if (event.name !== 'headerEnd') return;
    const { name, value } = this.#headers;
    this.#headers = { ...this.#headers, name: '', value: '' };
    if (name.toLowerCase() === 'content-disposition') this.#field = fieldOf(value);
    if (name.toLowerCase() === 'content-transfer-encoding' && !AS_IT_IS.test(value))
      throw this.#refusal(`A field of the form is encoded; send it as it is.`);
  }

  #begin(): void {
    this.#headers = { name: '', value: '', bytes: 0 };
    this.#isInFile = this.#field === 'file';
    if (!this.#isInFile) return;
    if (this.bytes !== null) throw this.#refusal('The form has more than one field "file".');
    this.bytes = 0;
  }
}

const NOT_A_FORM = 'The body is no complete form of type multipart/form-data.';
const AS_IT_IS = /^\s*(binary|8bit|7bit)\s*$/i;

function fieldOf(disposition: string): string | null {
  const [, quoted, bare] = FIELD_NAME.exec(disposition) ?? [];
  return quoted ?? bare ?? null;
}

function pieceOf({ buffer, start, end }: Event): Buffer {
  return buffer?.subarray(start, end) ?? Buffer.alloc(0);
}

function sizeOf({ start = 0, end = 0 }: Event): number {
  return end - start;
}

function textOf(event: Event): string {
  return pieceOf(event).toString('latin1');
}
