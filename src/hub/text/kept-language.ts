import { type Language, languages } from './language.ts';

const KEY = 'tagkeep-language';

/** The language somebody chose here, else the first of the browser's that there is. */
export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  const found = wanted.map((tag) => languages.find((one) => tag.toLowerCase().startsWith(one)));
  return found.find((one) => one !== undefined) ?? 'en';
}

/** Keeps a language that was chosen, in this browser. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}
