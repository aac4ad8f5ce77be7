import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, form, opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { ofKind, ownTask, pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { hasEnded, isOf } from '../../services/tasks/task.ts';
import { chosenModel } from '../model-option.ts';
import type { Services } from '../services.ts';
import { askedFor } from './request.ts';
import { answerDetails, goneOnIn, goOnForm } from './view.ts';

/** Enough was said: what came stays. */
export const stopButton = button(customIds.stop, {
  answers: 'here',
  async run(taskId, ask: Ask<Services>) {
    const task = await ownTask(taskId, ask);
    if (!task.traits.isInWords || hasEnded(task)) throw new Refusal('refusals.notStoppable');
    const { asks, talks } = ask.services;
    await (isOf('ask', task) ? asks.stop(task) : talks.stop(task));
    return 'shown as it goes';
  },
});

/** The next question of a conversation. */
export const goOnOpener = opener(customIds.goOn, async (taskId, ask: Ask<Services>) => {
  const task = ofKind('ask', await soon(pressedTask(taskId, ask), ask));
  return goOnForm(customIds.goOnFilled.id(task.id), ask.say);
});

export const goOnFilled = form(customIds.goOnFilled, {
  answers: 'beside',
  async run(taskId, filled, ask: Ask<Services>) {
    const before = ofKind('ask', await pressedTask(taskId, ask));
    const given = goneOnIn(filled);
    if (given.prompt === '') throw new Refusal('refusals.noWords');
    const { services, origin } = ask;
    const { effort, format, web } = before.request;
    const model = await chosenModel('text', before.model, services);
    const request = askedFor({ ...given, effort, format, web }, model, before, origin);
    await services.tasks.orders.submit({ ...origin, kind: 'ask', request, parent: before });
    return 'shown as it goes';
  },
});

/** Tokens and the like, for whoever wants to know. */
export const detailsButton = button(customIds.details, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    const task = ofKind('ask', await pressedTask(taskId, ask));
    return answerDetails(task, await ask.services.asks.knewOf(task), ask.say);
  },
});

/** Nothing of the conversation is sent to a model any more. */
export const forgetButton = button(customIds.forgetConversation, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    await ask.services.asks.forget(ofKind('ask', await ownTask(taskId, ask)));
    return { content: ask.say('ask.forgotten') };
  },
});
