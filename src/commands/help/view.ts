import { mentionOf } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';

export interface HelpEntry {
  name: string;
  description: string;
  example: string;
  /** Who may use it. */
  who: string;
  /** Where it is registered, its id: then its name can be pressed. */
  id: string | undefined;
}

/** An entry of the menu on a message, which no text can press. */
interface MenuEntry {
  name: string;
  description: string;
}

export function helpPage(entries: readonly HelpEntry[], menus: readonly MenuEntry[], say: Say): MessagePlan {
  const lines = entries.map(({ name, description, example, who, id }) => {
    return say('help.line', { mention: mentionOf(name, id), description, example, who });
  });
  const more = menus.map(({ name, description }) => say('help.menuLine', { name, description }));
  const blocks = [
    lines.length === 0 ? say('help.nothing') : lines.join('\n'),
    ...(more.length === 0 ? [] : [[say('help.menus'), ...more].join('\n')]),
  ];
  return { page: { title: say('help.title'), blocks } };
}
