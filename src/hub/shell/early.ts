// A program of its own that runs before the hub's has arrived, so it takes nothing from there.
const apiBase = '/api/v1';

/** A question asked before the program was there, by the key under which the hub keeps its answer (`api/queries.ts`). */
export interface Question {
  readonly key: readonly (string | number)[];
  readonly path: string;
}

// What the frame asks for, and what the views most often opened ask for, by the first part of their address.
const always: readonly Question[] = [
  { key: ['sites'], path: '/sites' },
  { key: ['alerts', 'open'], path: '/alerts?state=open' },
  { key: ['license'], path: '/license' },
];
const readers: Question = { key: ['readers'], path: '/readers' };
const questions: Readonly<Record<string, readonly Question[]>> = {
  '': [readers],
  now: [
    readers,
    { key: ['inventory', 'summary'], path: '/inventory/summary' },
    { key: ['inventory', 'history', 60], path: '/inventory/history?minutes=60' },
  ],
  tags: [{ key: ['fields'], path: '/fields' }],
};

const ask = (path: string): Promise<Response> => fetch(apiBase + path, { credentials: 'same-origin' });

// Null when nobody is logged in, undefined when that could not be learnt.
async function askMe(): Promise<unknown> {
  try {
    const answer = await ask('/auth/me');
    if (answer.ok) return await answer.json();
    return answer.status === 401 ? null : undefined;
  } catch {
    return undefined;
  }
}

async function answerTo(path: string): Promise<unknown> {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

/** A question, and its answer on the way. It fails when there is none, which the hub finds out by asking itself. */
export interface Asked extends Question {
  readonly answer: Promise<unknown>;
}

function askNow(question: Question): Asked {
  const answer = answerTo(question.path);
  // Heard of by whoever takes it, which may be nobody.
  answer.catch(() => undefined);
  return { ...question, answer };
}

function link(rel: string, href: string): HTMLLinkElement {
  const made = document.createElement('link');
  made.rel = rel;
  made.crossOrigin = 'anonymous';
  made.href = href;
  return made;
}

function fetchAhead(href: string): void {
  const isStyle = href.endsWith('.css');
  const made = link(isStyle ? 'preload' : 'modulepreload', href);
  made.as = isStyle ? 'style' : 'script';
  document.head.append(made);
}

function putToUse(href: string): Promise<void> {
  return new Promise((resolve) => {
    const made = link('stylesheet', href);
    made.onload = () => resolve();
    // A bare page is better than none.
    made.onerror = () => resolve();
    document.head.append(made);
  });
}

// As the build has listed them in the page; nothing while it is worked on.
const list = document.querySelector<HTMLMetaElement>('meta[name="parts"]')?.content ?? '{}';
const files: Readonly<Record<string, readonly string[]>> = JSON.parse(list);

const [, view = ''] = location.pathname.split('/', 2);
// A wall screen asks for other things.
const isKiosk = new URLSearchParams(location.search).has('kiosk');

/** Who is logged in, asked before anything else: null when nobody is, undefined when that could not be learnt. Never fails. */
export const me = askMe();
for (const file of files[view || 'now'] ?? []) fetchAhead(file);

/** Settled when the program's styles are in use. They hold up no painting before, and stand before what it writes itself. */
export const styled: Promise<unknown> = Promise.all((files.program ?? []).map(putToUse));

/** What the view's page will want to know. Nobody's questions would only be refused. Never fails. */
export const asked: Promise<readonly Asked[]> = me.then((found) =>
  found && !isKiosk ? [...always, ...(questions[view] ?? [])].map(askNow) : [],
);

// What somebody chose here before, so that the first thing painted is dark already: painting waits for this program.
const scheme = localStorage.getItem('mantine-color-scheme-value');
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.mantineColorScheme = scheme;
