import { createContext, use } from 'react';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The same sentences in every language. */
export type Texts<T> = Readonly<Record<Language, T>>;

/** Sentences of one part of the hub; a language that lacks one does not compile. */
export function texts<T>(en: T, de: NoInfer<T>): Texts<T> {
  return { en, de };
}

const KEY = 'tagkeep-language';

/** The language somebody chose here, else the first of the browser's that there is. */
export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  const found = wanted.map((tag) => languages.find((one) => tag.toLowerCase().startsWith(one)));
  return found.find((one) => one !== undefined) ?? 'en';
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}

interface Choice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

export const LanguageContext = createContext<Choice>({ language: 'en', choose: () => undefined });

/** The sentences in the language of the page. */
export function useText<T>(all: Texts<T>): T {
  return all[use(LanguageContext).language];
}

/** The language of the page, and how to change it. */
export const useLanguage = (): Choice => use(LanguageContext);
