import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';

const KEPT = 'atelier.look';
/** From this width, the workbench is next to the messages instead of above them. */
const WIDE = '(min-width: 1180px)';
/** Up to this width, only the messages fit. */
const NARROW = '(max-width: 819px)';

interface Look {
  readonly theme: Theme;
  readonly bench: boolean;
}

const known = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Look>;

export const theme = signal<Theme>(known.theme ?? 'system');
export const wide = signal(matchMedia(WIDE).matches);
export const narrow = signal(matchMedia(NARROW).matches);
export const bench = signal(wide.value && (known.bench ?? true));
/** Whether the list of channels is open as a drawer on narrow screens. */
export const drawer = signal(false);

export function followLook(): void {
  matchMedia(WIDE).addEventListener('change', ({ matches }) => {
    wide.value = matches;
    bench.value = matches;
  });
  matchMedia(NARROW).addEventListener('change', ({ matches }) => {
    narrow.value = matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    const look: Look = { theme: theme.value, bench: wide.peek() ? bench.value : (known.bench ?? true) };
    localStorage.setItem(KEPT, JSON.stringify(look));
  });
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

export function turnTheme(): void {
  theme.value = NEXT[theme.value];
}
