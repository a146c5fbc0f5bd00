import type { Page } from './page.ts';
import { problemKinds } from './problem.ts';

/** The page behind a problem's `type`: `/problems/{slug}`, or the list at `/problems`. Null: no such problem. */
export function problemPage(path: string): Page | null {
  if (path === '/problems') return page('Problem types', list());
  const slug = path.slice('/problems/'.length);
  const kind = path.startsWith('/problems/') ? problemKinds().get(slug) : undefined;
  if (!kind) return null;
  return page(
    kind.title,
    `<p>Status ${kind.status}, type <code>/problems/${slug}</code></p><p>${escapeHtml(kind.help)}</p>`,
  );
}

function list(): string {
  const items = [...problemKinds()].map(
    ([slug, kind]) =>
      `<li><a href="/problems/${slug}">${slug}</a>: ${kind.status}, ${escapeHtml(kind.title)}</li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

function page(title: string, content: string): Page {
  const heading = escapeHtml(title);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${content}</html>\n`;
  return { body: html, contentType: 'text/html; charset=utf-8' };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
