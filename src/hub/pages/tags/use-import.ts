import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ImportReport } from '../../../contract/import.ts';
import { upload, type Watching } from '../../api/upload.ts';

const FILE_MAX_BYTES = 64 * 1024 * 1024;

function sendTags(file: File, dryRun: boolean, watching: Watching): Promise<ImportReport> {
  const body = new FormData();
  body.append('file', file);
  return upload({ method: 'POST', path: `/tags/import?dryRun=${dryRun}`, body, ...watching });
}

/** How far an import is. A file that could not be read keeps its name beside the reason. */
export type ImportStep =
  | { readonly at: 'start' }
  | { readonly at: 'too-big' }
  | { readonly at: 'sending'; readonly file: File; readonly dryRun: boolean; readonly part: number }
  | { readonly at: 'preview' | 'done'; readonly file: File; readonly report: ImportReport }
  | { readonly at: 'failed'; readonly file: File; readonly dryRun: boolean; readonly error: unknown };

/** An import: first a trial that changes nothing, then, when somebody says so, the real one. */
export function useImport(onDone: () => void) {
  const client = useQueryClient();
  const [step, setStep] = useState<ImportStep>({ at: 'start' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (file: File, dryRun: boolean) => {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    const onProgress = (part: number) => setStep({ at: 'sending', file, dryRun, part });
    onProgress(0);
    try {
      const report = await sendTags(file, dryRun, { onProgress, signal: mine.signal });
      if (mine.signal.aborted) return;
      setStep({ at: dryRun ? 'preview' : 'done', file, report });
      if (dryRun) return;
      onDone();
      await Promise.all(['fields', 'tag'].map((key) => client.invalidateQueries({ queryKey: [key] })));
    } catch (error) {
      if (!mine.signal.aborted) setStep({ at: 'failed', file, dryRun, error });
    }
  };
  const take = (file: File | null | undefined) => {
    if (!file) return;
    if (file.size > FILE_MAX_BYTES) setStep({ at: 'too-big' });
    else void send(file, true);
  };
  return { step, take, send };
}
