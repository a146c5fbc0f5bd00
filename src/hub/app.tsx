import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useMe } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { stream } from './live/stream.ts';
import { nonce } from './nonce.ts';
import { Pages } from './pages/pages.tsx';
import { LoginPage } from './shell/login.tsx';
import { commonText } from './text/common.ts';
import { firstLanguage, keepLanguage } from './text/kept-language.ts';
import { type Language, LanguageContext } from './text/language.ts';
import { contrast, themeOf } from './theme.ts';
import { Failed } from './ui/failed.tsx';
import { Loading } from './ui/loading.tsx';

function Hub() {
  const me = useMe();
  const isIn = me.data !== null && me.data !== undefined;
  useEffect(() => {
    if (isIn) stream.open();
  }, [isIn]);
  if (me.data === null) return <LoginPage />;
  if (isIn) return <Pages />;
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
          <Notifications position="bottom-right" limit={4} />
          <Hub />
        </LanguageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}
