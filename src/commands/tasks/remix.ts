import { customIds } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import type { Menu } from '../../discord/handlers.ts';
import type { TargetMessage } from '../../discord/target-message.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { loadForForm, parentOf } from '../../messages/pressed-task.ts';
import { openEditForm } from '../../messages/shared-buttons.ts';
import type { Task } from '../../services/tasks/task.ts';
import { hasOwnPrompt } from '../../services/tasks/task-facts.ts';
import { isPrivateByDefault } from '../choices.ts';
import type { Context, Services } from '../feature.ts';
import { commandNameOf } from '../presets.ts';
import { findShownTask } from '../shown-task.ts';

/** Opens the prompt of the result on a message, and orders it anew. The form checks whether the member may do so. */
export const remixMenu: Menu<Services> = {
  name: 'remix',
  async open(target, context) {
    const { id, kind } = await loadForForm(findPromptedTask(target, context), context);
    const { facts, services } = context;
    const [command = kind] =
      [...services.safety.targets.kindsByCommand].find(([, kinds]) => kinds.includes(kind)) ?? [];
    const isPrivate = target.isPrivate || isPrivateByDefault(facts, commandNameOf(command), services);
    throwIfRefusal(requirePostPermissions(facts, { private: isPrivate }));
    const form = isPrivate ? customIds.editFilledPrivately : customIds.editFilled;
    return openEditForm(form)(id, context);
  },
};

/** A chain of follow-ups that is longer costs too many reads. */
const MAX_ANCESTORS = 20;

/** An upscaled image has the prompt of the image that it was made from. */
async function findPromptedTask(target: TargetMessage, context: Context): Promise<Task> {
  let task = await findShownTask(target, context);
  for (let count = 0; task && !hasOwnPrompt(task) && count < MAX_ANCESTORS; count++)
    task = await parentOf(task, context.services);
  if (!task || !hasOwnPrompt(task)) throw new Refusal('refusals.noPromptInMessage');
  return task;
}
