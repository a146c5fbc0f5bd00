import { createContext, use } from 'react';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The same sentences in every language. */
export type Texts<T> = Readonly<Record<Language, T>>;

/** The locale in which dates and numbers are written: English as in Britain. */
export const localeOf = (language: Language): string => (language === 'en' ? 'en-GB' : language);

/** Sentences of one part of the hub; a language that lacks one does not compile. */
export function texts<T>(en: T, de: NoInfer<T>): Texts<T> {
  return { en, de };
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
