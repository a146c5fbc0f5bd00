import { setNonce } from 'get-nonce';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { call } from './api/call.ts';
import { queryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { nonce } from './nonce.ts';
import { type Asked, asked, me, styled } from './shell/early.ts';
import { partOf } from './shell/parts.ts';

// An answer that is there already is part of the first picture, instead of changing it.
function take({ key, path, answer }: Asked): void {
  void queryClient.prefetchQuery({
    queryKey: key,
    queryFn: ({ signal }) => answer.catch(() => call('GET', path, { signal })),
  });
}

// The frame that the page came with stands until the hub can take its place as a whole.
async function start(place: Element): Promise<void> {
  // Also for somebody who has to log in first: it is where they are led.
  const part = partOf(location.pathname);
  const [found, questions] = await Promise.all([me, asked, styled]);
  await (found === null ? partOf('/login') : part);
  // When it is not known who is there, the hub asks itself and says what is wrong.
  if (found !== undefined) queryClient.setQueryData(['me'], found);
  for (const question of questions) take(question);
  // In small pieces of work: a slow phone can scroll meanwhile.
  startTransition(() => createRoot(place).render(<App />));
}

// Locking the page behind an open drawer writes a style element, which only this lets through the policy.
setNonce(nonce);

const place = document.getElementById('hub');
if (place) void start(place);
