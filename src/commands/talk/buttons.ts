import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { type Ask, button, form, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { ofKind, pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import type { Services } from '../services.ts';
import { ended } from './end.ts';
import { objectionTo, openFor, saidIn } from './said.ts';

/** Says something in a live conversation: for that the bot need not read anybody's messages. */
export const speakOpener = opener(customIds.speak, async (taskId, ask: Ask<Services>) => {
  const talk = openFor(await soon(pressedTask(taskId, ask), ask), speakerOf(ask));
  return speakForm(customIds.speakFilled.id(talk.id), ask.say);
});

export const spokenForm = form(customIds.speakFilled, {
  // Pressed on a copy that one member sees alone, it is still said in the conversation.
  answers: 'openly',
  guards: [(_place, filled: Filled) => objectionTo(givenIn(filled))],
  async run(taskId, filled, ask: Ask<Services>) {
    const { services, origin } = ask;
    const talk = openFor(await pressedTask(taskId, ask), speakerOf(ask));
    const request = saidIn(talk, givenIn(filled));
    await services.tasks.orders.submit({ ...origin, kind: 'said', request, parent: talk });
    return 'shown as it goes';
  },
});

const givenIn = ({ fields, files }: Filled) => ({ words: fields.words ?? '', sound: files.sound });

const speakerOf = ({ place }: Ask<Services>) => ({ memberId: place.userId, channelId: place.channelId });

/** What is to be said: words, a sound, or both. */
function speakForm(id: string, say: Say): FormPlan {
  return {
    id,
    title: say('talk.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('talk.form.words'), long: true },
      { type: 'file', name: 'sound', label: say('talk.form.sound'), hint: say('talk.form.soundHint') },
    ],
  };
}

/** The message of the conversation changes by itself, wherever this was pressed. */
export const endTalkButton = button(customIds.endTalk, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    return ended(ofKind('talk', await pressedTask(taskId, ask)), ask);
  },
});
