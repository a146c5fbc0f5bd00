import { apiBase } from './call.ts';
import { CallError, problemOf } from './problem.ts';
import { sessionEnded } from './session.ts';

/** How an upload is watched and broken off. */
export interface Watching {
  /** Told the part that went out, 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal?: AbortSignal;
}

export interface Upload extends Watching {
  readonly method: 'PUT' | 'POST';
  readonly path: string;
  /** A file is sent as it is, a form with files in it. */
  readonly body: Blob | FormData;
}

/** Sends a file and answers the JSON. `fetch` cannot tell how much of it went out. Throws `CallError`, broken off `AbortError`. */
export function upload<T>({ method, path, body, onProgress, signal }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, `${apiBase}${path}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new CallError(0, {}));
    request.onabort = () => reject(new DOMException('', 'AbortError'));
    request.onload = () => {
      if (request.status === 401) sessionEnded();
      const { status, responseText } = request;
      const answer = new Response(responseText, { status });
      // The types are those of the contract the appliance checks itself against.
      void (status < 300 ? answer.json().then(resolve, reject) : problemOf(answer).then(reject));
    };
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}
