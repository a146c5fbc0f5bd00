import { Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconKey, IconLanguage, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { useMe } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { stream } from '../live/stream.ts';
import { languages, useLanguage, useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';
import { useAction } from '../ui/use-action.ts';
import { AccountButton } from './account-button.tsx';
import { forgetPerson } from './person.ts';

const languageNames = { en: 'English', de: 'Deutsch' } as const;
const schemes = ['light', 'dark', 'auto'] as const;

function useLogout() {
  return useAction({
    run: () => call('POST', '/auth/logout'),
    onDone: () => {
      stream.close();
      queryClient.setQueryData(['me'], null);
      forgetPerson();
    },
  });
}

const Ticked = ({ when }: { readonly when: boolean }) => (when ? <IconCheck size={16} aria-hidden /> : null);

function LanguageItems() {
  const text = useText(shellText);
  const { language, choose } = useLanguage();
  return (
    <>
      <Menu.Label>{text.language}</Menu.Label>
      {languages.map((one) => (
        <Menu.Item
          key={one}
          lang={one}
          leftSection={<IconLanguage size={16} aria-hidden />}
          rightSection={<Ticked when={one === language} />}
          onClick={() => choose(one)}
        >
          {languageNames[one]}
        </Menu.Item>
      ))}
    </>
  );
}

function SchemeItems() {
  const text = useText(shellText);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const names = { light: text.light, dark: text.dark, auto: text.system };
  return (
    <>
      <Menu.Label>{text.appearance}</Menu.Label>
      {schemes.map((scheme) => (
        <Menu.Item
          key={scheme}
          leftSection={
            scheme === 'dark' ? <IconMoon size={16} aria-hidden /> : <IconSun size={16} aria-hidden />
          }
          rightSection={<Ticked when={scheme === colorScheme} />}
          onClick={() => setColorScheme(scheme)}
        >
          {names[scheme]}
        </Menu.Item>
      ))}
    </>
  );
}

/** Who is logged in, language, appearance, logging out. `defaultOpened` when it was asked for before it was there. */
export function AccountMenu({ defaultOpened }: { readonly defaultOpened: boolean }) {
  const text = useText(shellText);
  const logout = useLogout();
  const email = useMe().data?.email ?? '';
  return (
    <Menu position="bottom-end" width={240} defaultOpened={defaultOpened}>
      <Menu.Target>
        <AccountButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="anything">{email}</Menu.Label>
        <LanguageItems />
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item component={Link} href="/admin/password" leftSection={<IconKey size={16} aria-hidden />}>
          {text.ownPassword}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => logout.mutate()}>
          {text.logout}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
