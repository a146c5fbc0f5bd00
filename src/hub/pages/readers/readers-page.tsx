import { useText } from '../../text/language.ts';
import { shellText } from '../../text/shell.ts';
import { Page } from '../../ui/page.tsx';

export function ReadersPage() {
  const text = useText(shellText);
  return <Page title={text.readers}>{null}</Page>;
}
