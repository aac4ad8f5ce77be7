import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';

const STORAGE_KEY = 'atelier.look';
/** From this width, the workbench is next to the messages instead of above them. */
const WIDE_QUERY = '(min-width: 1180px)';
/** Up to this width, only the messages fit. */
const NARROW_QUERY = '(max-width: 819px)';

interface Appearance {
  readonly theme: Theme;
  readonly bench: boolean;
}

const storedAppearance = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Appearance>;

export const theme = signal<Theme>(storedAppearance.theme ?? 'system');
export const isWide = signal(matchMedia(WIDE_QUERY).matches);
export const isNarrow = signal(matchMedia(NARROW_QUERY).matches);
export const isWorkbenchOpen = signal(isWide.value && (storedAppearance.bench ?? true));
/** Whether the list of channels is open as a drawer on narrow screens. */
export const isDrawerOpen = signal(false);

export function followAppearance(): void {
  matchMedia(WIDE_QUERY).addEventListener('change', ({ matches }) => {
    isWide.value = matches;
    isWorkbenchOpen.value = matches;
  });
  matchMedia(NARROW_QUERY).addEventListener('change', ({ matches }) => {
    isNarrow.value = matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    const appearance: Appearance = {
      theme: theme.value,
      bench: isWide.peek() ? isWorkbenchOpen.value : (storedAppearance.bench ?? true),
    };
    localStorage.setItem(STORAGE_KEY, JSON.stringify(appearance));
  });
}

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

export function switchTheme(): void {
  theme.value = NEXT_THEME[theme.value];
}
