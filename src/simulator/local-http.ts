import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LocalAnswer, LocalUpload } from './local-answer.ts';

/** The whole body, or null when it is longer than `maxBytes`. Rejects when the connection breaks. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A request without an encoding gives buffers and nothing else.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Writes an answer as JSON; one without a body has no content. `close` ends the connection after it. */
export function writeAnswer(
  response: ServerResponse,
  { status, body }: LocalAnswer,
  options: { readonly close?: boolean } = {},
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="reader"' } : {}),
    ...(options.close ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/** Whether the request carries these credentials (HTTP Basic). */
export function isAuthorised(request: IncomingMessage, user: string, password: string): boolean {
  const sent = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const expected = Buffer.from(`${user}:${password}`).toString('base64');
  return timingSafeEqual(digest(sent), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const FORM_PARTS_MAX = 16;

/** A body that is a file: of a form its first file part and its texts, otherwise the body as it is. */
export function uploadOf(contentType: string | undefined, body: Buffer): LocalUpload | undefined {
  const boundary = /^multipart\/form-data\b.*\bboundary="?([^";]{1,70})"?/i.exec(contentType ?? '')?.[1];
  return boundary === undefined ? { content: body, fields: new Map() } : formUpload(body, boundary);
}

function formUpload(body: Buffer, boundary: string): LocalUpload | undefined {
  const fields = new Map<string, string>();
  let content: Buffer | undefined;
  for (const part of partsOf(body, boundary)) {
    if (part.isFile) content ??= part.content;
    else fields.set(part.name, part.content.toString());
  }
  return content && { content, fields };
}

interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  readonly content: Buffer;
}

function partsOf(body: Buffer, boundary: string): readonly FormPart[] {
  const delimiter = `\r\n--${boundary}`;
  // One character a byte, so that what is cut out is what was sent.
  const pieces = `\r\n${body.toString('latin1')}`.split(delimiter).slice(1, FORM_PARTS_MAX + 1);
  return pieces.flatMap((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const head = piece.slice(0, end);
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    if (end < 0 || name === undefined) return [];
    const isFile = /\bfilename="/i.test(head);
    return [{ name, isFile, content: Buffer.from(piece.slice(end + 4), 'latin1') }];
  });
}
