import { apiBase } from './call.ts';
import { CallError, problemOf } from './problem.ts';
import { sessionEnded } from './session.ts';

export interface Upload {
  readonly path: string;
  readonly file: Blob;
  /** 0..1, while it is being sent. */
  readonly onProgress: (part: number) => void;
}

/** PUTs a file as the body and answers the JSON. `fetch` cannot tell how much of it has been sent. Throws `CallError`. */
export function upload<T>({ path, file, onProgress }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', `${apiBase}${path}`);
    request.setRequestHeader('Content-Type', file.type);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new CallError(0, {}));
    request.onload = () => {
      if (request.status === 401) sessionEnded();
      // The types are those of the contract the appliance checks itself against.
      if (request.status < 300) return resolve(JSON.parse(request.responseText) as T);
      void problemOf(new Response(request.responseText, { status: request.status })).then(reject);
    };
    request.send(file);
  });
}
