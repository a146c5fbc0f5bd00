import { type Declared, declared } from './options.ts';

/** The README's table of every option, in Markdown: key, variable, default, meaning with what is allowed. */
export function configTable(): string {
  const rows = declared.map((entry) => `| ${cells(entry).map(escapeBars).join(' | ')} |`);
  return ['| Key | Variable | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function cells({ key, variable, option }: Declared): readonly string[] {
  const value = option.default === null ? 'none' : `\`${JSON.stringify(option.default)}\``;
  return [`\`${key}\``, `\`${variable}\``, value, `${option.help} (${option.allowed})`];
}

const escapeBars = (text: string): string => text.replaceAll('|', '\\|');
