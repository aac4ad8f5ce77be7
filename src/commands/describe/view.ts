import { customIds } from '../../discord/custom-ids.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';

/** Words that could have led to the pictures, each to go on from. The gateway's own buttons for them are refused by many gateways. */
export const describe: KindView = {
  result: (task, say) => shownLines(task, say),
  files: (task) => wholeText(task),
  buttons(task, _offering, say) {
    const { each, all } = lineButtons(task, say);
    const id = customIds.same.id(task.id);
    const label = say('task.buttons.describeAgain');
    return [...each, { type: 'button', id, label, emoji: '🔄', startsRow: true }, ...all];
  },
};
