import { signal } from '@preact/signals';

/** Moves on once a second; whoever shows how long ago something was reads it. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now();
}, 1_000);
