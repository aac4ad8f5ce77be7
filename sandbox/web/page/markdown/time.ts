import { signal } from '@preact/signals';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The user's language in Discord. */
export const timeLocale = signal('en');

export function relativeTime(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1_000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(timeLocale.value, { numeric: 'always' }).format(Math.trunc(seconds / size), unit);
}

const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/** Formats a time as Discord does for `<t:…:style>`, except for the relative style. */
export const timeText = (time: number, style: string): string =>
  new Intl.DateTimeFormat(timeLocale.value, STYLES[style] ?? STYLES.f).format(time);

/** The time of a message, with the date unless it is today. */
export function messageTime(time: number, today: string): string {
  return new Date(time).toDateString() === today
    ? timeText(time, 't')
    : new Intl.DateTimeFormat(timeLocale.value, { dateStyle: 'short', timeStyle: 'short' }).format(time);
}

export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A duration in the format of a player, such as 1:05. */
export function playerTime(seconds: number): string {
  const totalSeconds = Math.round(Math.max(0, seconds));
  return `${Math.floor(totalSeconds / 60)}:${String(totalSeconds % 60).padStart(2, '0')}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(2)} MB`;
}
