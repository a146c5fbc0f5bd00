import type { ImportReport } from '../../../contract/import.ts';
import { apiBase } from '../../api/call.ts';
import { CallError } from '../../api/problem.ts';
import { sessionEnded } from '../../api/session.ts';

/** How an upload is watched and broken off. */
export interface Watching {
  /** Told the part that went out, 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

function problemIn(text: string): ConstructorParameters<typeof CallError>[1] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function finish(request: XMLHttpRequest): ImportReport {
  // The types are those of the contract the appliance checks itself against.
  if (request.status === 200) return JSON.parse(request.responseText) as ImportReport;
  if (request.status === 401) sessionEnded();
  throw new CallError(request.status, problemIn(request.responseText));
}

/** POST /tags/import with a file. By XMLHttpRequest, which unlike `fetch` tells how much went out. Throws `CallError`. */
export function uploadTags(
  file: File,
  dryRun: boolean,
  { onProgress, signal }: Watching,
): Promise<ImportReport> {
  const form = new FormData();
  form.append('file', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${apiBase}/tags/import?dryRun=${dryRun}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      try {
        resolve(finish(request));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new CallError(0, {}));
    request.onabort = () => reject(new DOMException('', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
