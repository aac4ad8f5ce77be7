import type { Say } from '../locales/index.ts';
import type { MessagePlan } from './plan.ts';

export interface HelpEntry {
  name: string;
  description: string;
  example: string;
  /** Who may use it. */
  who: string;
  /** Where it is registered, its id: then its name can be pressed. */
  id: string | undefined;
}

export function helpPage(entries: readonly HelpEntry[], say: Say): MessagePlan {
  const lines = entries.map(({ name, description, example, who, id }) => {
    return say('help.line', { mention: mentionOf(name, id), description, example, who });
  });
  return { page: { title: say('help.title'), blocks: [lines.length === 0 ? say('help.nothing') : lines.join('\n')] } };
}

export function mentionOf(name: string, id: string | undefined): string {
  return id === undefined ? `\`/${name}\`` : `</${name}:${id}>`;
}
