import type { IncomingMessage } from 'node:http';
import { limits } from '../../domain/limits.ts';
import { invalid, refuse } from '../../domain/refusal.ts';
import { ClientGone } from '../../http/body.ts';
import { FormFile } from '../../http/form-file.ts';
import { cleanPng, isPng } from './check-png.ts';
import { sanitiseSvg } from './sanitise-svg.ts';

/** What a form needs around the file itself. */
const FORM_MAX_BYTES = 64 * 1024;

/** The longest body an upload can have. */
export const planBodyMaxBytes = limits.planMaxBytes + FORM_MAX_BYTES;

/** What the body of a plan may be; the form first. */
export const planTypes = ['multipart/form-data', 'image/png', 'image/svg+xml'] as const;

/** A plan that can be served. */
export interface CleanPlan {
  readonly contentType: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  readonly dropped: number;
}

/**
 * The plan in the body of a request, cleaned: the body itself by its type, or the form field `file` by its content.
 * Refuses with 400, 413 and 415; throws `ClientGone` when the upload breaks off.
 */
export async function receivePlan(req: IncomingMessage): Promise<CleanPlan> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw refuse('unsupported-media-type', 'The body must not be compressed.');
  const type = req.headers['content-type'] ?? '';
  const isForm = /^\s*multipart\//i.test(type);
  const bytes = await read(req, isForm ? new FormFile(type, (detail) => invalid(detail)) : null);
  if (bytes.length === 0) throw invalid('The file is empty.');
  return (isForm ? isPng(bytes) : /^\s*image\/png/i.test(type)) ? pngPlan(bytes) : svgPlan(bytes);
}

async function read(req: IncomingMessage, form: FormFile | null): Promise<Buffer> {
  try {
    return await collect(req, form);
  } catch (error) {
    // What breaks off has no complete end; everything else is ours or the form's.
    throw req.aborted || req.errored ? new ClientGone() : error;
  }
}

async function collect(req: IncomingMessage, form: FormFile | null): Promise<Buffer> {
  const parts: Buffer[] = [];
  let [all, kept] = [0, 0];
  // Left open when it ends early: the refusal still has to go out on its connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    all += chunk.length;
    for (const part of form ? form.write(chunk) : [chunk]) {
      kept += part.length;
      // A form hands out pieces of its own buffers, which stay as they are.
      parts.push(part);
    }
    if (kept > limits.planMaxBytes || all > planBodyMaxBytes) throw tooLarge();
  }
  form?.end();
  if (form && form.bytes === null) throw invalid('The form has no field "file".');
  return Buffer.concat(parts);
}

function tooLarge(): Error {
  return refuse('too-large', `A plan may have ${limits.planMaxBytes / 2 ** 20} MB.`);
}

function pngPlan(bytes: Buffer): CleanPlan {
  return { contentType: 'image/png', ...cleanPng(bytes) };
}

async function svgPlan(bytes: Buffer): Promise<CleanPlan> {
  return { contentType: 'image/svg+xml', ...(await sanitiseSvg(bytes)) };
}
