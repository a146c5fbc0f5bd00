import { useMemo } from 'react';
import { useLanguage } from '../text/language.ts';

/** Writes whole numbers as the language does: "12,345". */
export function useCount(): (count: number) => string {
  const { language } = useLanguage();
  return useMemo(() => {
    const format = new Intl.NumberFormat(language === 'en' ? 'en-GB' : language);
    return (count: number) => format.format(count);
  }, [language]);
}
