import { QueryClient } from '@tanstack/react-query';
import { CallError } from './problem.ts';

const RETRIES = 2;

/** Refusals are final; only what never reached the appliance, or hit it while it was busy, is asked again. */
function isWorthAsking(failures: number, error: Error): boolean {
  const status = error instanceof CallError ? error.status : 0;
  return failures < RETRIES && (status === 0 || status === 429 || status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthAsking, staleTime: 5000, gcTime: 300_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
