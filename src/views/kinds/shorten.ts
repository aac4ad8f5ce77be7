import type { KindView } from './kind-view.ts';

export const shorten: KindView = {
  result: ({ text = '' }) => [text],
  buttons: () => [],
};
