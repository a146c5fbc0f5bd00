import './shell/mantine.css';
import './hub.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useMe } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { stream } from './live/stream.ts';
import { nonce } from './nonce.ts';
import { Pages } from './pages/pages.tsx';
import { later } from './shell/later.ts';
import { commonText } from './text/common.ts';
import { firstLanguage, keepLanguage } from './text/kept-language.ts';
import { type Language, LanguageContext } from './text/language.ts';
import { contrast, themeOf } from './theme.ts';
import { Failed } from './ui/failed.tsx';
import { Loading } from './ui/loading.tsx';

// What nobody sees at first comes after it.
const LoginPage = later(() => import('./shell/login.tsx').then((m) => m.LoginPage));
const LoginAgain = later(() => import('./shell/login.tsx').then((m) => m.LoginAgain));
const Notices = later(() => import('./shell/notices.tsx').then((m) => m.Notices));

function Hub() {
  const me = useMe();
  const isIn = me.data !== null && me.data !== undefined;
  useEffect(() => {
    if (isIn) stream.open();
  }, [isIn]);
  if (me.data === null)
    return (
      <Suspense fallback={<Loading />}>
        <LoginPage />
      </Suspense>
    );
  if (isIn)
    return (
      <>
        <Pages />
        <Suspense>
          <LoginAgain />
        </Suspense>
      </>
    );
  return me.error ? <Failed error={me.error} retry={() => void me.refetch()} /> : <Loading />;
}

/** The whole hub. */
export function App() {
  const [language, setLanguage] = useState(firstLanguage);
  const choice = useMemo(
    () => ({
      language,
      choose: (wanted: Language) => {
        keepLanguage(wanted);
        setLanguage(wanted);
      },
    }),
    [language],
  );
  const theme = useMemo(() => themeOf(commonText[language].close), [language]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrast}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <LanguageContext value={choice}>
          <Hub />
          <Suspense>
            <Notices />
          </Suspense>
        </LanguageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}
