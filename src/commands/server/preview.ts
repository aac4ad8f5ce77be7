import { customIds } from '../../discord/custom-ids.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import { type RuleSet, withoutProposal, withProposal, withRules } from '../../services/safety/server-rules.ts';
import { bucketOf } from '../../services/tasks/homes.ts';
import { createTaskId } from '../../services/tasks/task-id.ts';
import { type Context, on } from '../feature.ts';
import { managedServer } from './managed-server.ts';
import { currentRulesPage } from './page.ts';

/** Stores changed rules until their admin decides. `content` shows what would change. */
export async function previewRules(rules: RuleSet, content: string, context: Context): Promise<MessagePlan> {
  const { guildId, author } = managedServer(context);
  const { services, say } = context;
  const id = createTaskId(author.at, bucketOf(guildId));
  await services.safety.rules.change(guildId, (current) => withProposal(current, { id, rules, ...author }));
  return {
    content: [content, say('rules.preview.notApplied')].join('\n'),
    overflow: 'file',
    controls: [
      buttonPlan(say('rules.preview.apply'), customIds.rulesApply.id(id), { style: 'good' }),
      buttonPlan(say('rules.preview.cancel'), customIds.rulesCancel.id(id)),
    ],
    files: [],
  };
}

export const previewButtons = [
  on(customIds.rulesApply, {
    reply: 'here',
    async run(id, context): Promise<MessagePlan> {
      const { guildId, author } = managedServer(context);
      let isOutdated = false;
      await context.services.safety.rules.change(guildId, (current) => {
        isOutdated = current.proposed?.id !== id;
        return current.proposed?.id === id ? withRules(current, current.proposed.rules, author) : current;
      });
      // The page replaces a preview that no longer stands, so that its buttons are gone.
      return currentRulesPage(context, isOutdated ? context.say('rules.preview.outdated') : undefined);
    },
  }),
  on(customIds.rulesCancel, {
    reply: 'here',
    async run(id, context): Promise<MessagePlan> {
      const { guildId } = managedServer(context);
      const { rules } = context.services.safety;
      if (rules.get(guildId).proposed?.id !== id)
        return currentRulesPage(context, context.say('rules.preview.outdated'));
      await rules.change(guildId, (current) => (current.proposed?.id === id ? withoutProposal(current) : current));
      return { content: context.say('rules.preview.canceled'), controls: [] };
    },
  }),
];
