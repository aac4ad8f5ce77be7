import { computed, signal } from '@preact/signals';

/** Updated once a second, for relative times. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now();
}, 1_000);

/** Changes only once a day, so components that read it rarely render again. */
export const today = computed(() => new Date(now.value).toDateString());
