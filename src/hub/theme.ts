import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#e8f7f8',
  '#d3ebed',
  '#a6d6da',
  '#76c0c6',
  '#50adb5',
  '#38a1aa',
  '#1f8f99',
  '#0b7a84',
  '#0b6a72',
  '#02525a',
];

const colors = ['petrol', 'gray', 'red', 'orange', 'yellow', 'green', 'blue', 'grape'];

// A dialog's heading is no banner of the page.
const headless = { header: { role: 'presentation' } };
// Beside the first line of a long name, not half way down it.
const closeAbove = { header: { alignItems: 'flex-start' } };

// What pops up belongs to the page's main landmark. Every page has one with this id.
const inContent = { portalProps: { target: '#content' } };

/** The look of the hub. Shades are dark enough for text to be read on them by everybody (WCAG AA). `close` names close buttons. */
export const themeOf = (close: string) =>
  createTheme({
    components: {
      Modal: {
        defaultProps: { closeButtonProps: { 'aria-label': close }, attributes: headless, styles: closeAbove },
      },
      Drawer: {
        defaultProps: { closeButtonProps: { 'aria-label': close }, attributes: headless, styles: closeAbove },
      },
      Tooltip: { defaultProps: inContent },
      Popover: { defaultProps: inContent },
      // The placeholder is something that can be focused and yet is no item of the menu.
      Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
      Notification: {
        defaultProps: { closeButtonProps: { 'aria-label': close } },
        // Too pale for WCAG AA where there is a title.
        styles: { description: { color: 'var(--mantine-color-dimmed)' } },
      },
    },
    colors: { petrol },
    primaryColor: 'petrol',
    primaryShade: { light: 8, dark: 8 },
    defaultRadius: 'md',
    cursorType: 'pointer',
    // Who asks for less motion gets dialogs at once.
    respectReducedMotion: true,
    fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace',
    focusRing: 'auto',
  });

const shades = (shade: number, suffix: string) =>
  Object.fromEntries(
    colors.map((color) => [`--mantine-color-${color}-${suffix}`, `var(--mantine-color-${color}-${shade})`]),
  );

/** Text that the library draws too pale for WCAG AA. */
export const contrast: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-anchor': 'var(--mantine-color-petrol-8)',
    ...shades(9, 'light-color'),
    ...shades(9, 'text'),
    '--mantine-color-orange-light-color': '#a33a00',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-green-light-color': '#1d6b32',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-petrol-3)',
    ...shades(2, 'light-color'),
  },
});
