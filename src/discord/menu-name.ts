import { sentenceAt } from '../locales/index.ts';
import type { Menu } from './handlers.ts';

/** What members read is also what Discord calls it by. */
export function menuName({ name }: Pick<Menu<never>, 'name'>): string {
  const sentence = sentenceAt(['menus', name]);
  if (sentence === undefined) throw new Error(`The locale has no sentence at menus.${name}.`);
  return sentence;
}
