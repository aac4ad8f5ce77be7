import { computed, signal } from '@preact/signals';

/** Moves on once a second; whoever shows how long ago something was reads it. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now();
}, 1_000);

/** For whatever looks different only tomorrow. */
export const today = computed(() => new Date(now.value).toDateString());
