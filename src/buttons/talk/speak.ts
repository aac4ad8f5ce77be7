import type { Services } from '../../commands/services.ts';
import { openFor, saidIn } from '../../commands/talk/said.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Ask, Form, Opener } from '../../discord/handlers.ts';
import { speakForm } from '../../views/talk/form.ts';
import { pressedTask, soon } from '../pressed-task.ts';

const SPEAK = { verb: 'speak', version: 1 } as const;
const SPOKEN = { verb: 'spoken', version: 1 } as const;

export const speakId = (talkId: string): string => customId(SPEAK.verb, SPEAK.version, talkId);

/** Says something in a live conversation: for that the bot need not read anybody's messages. */
export const speakOpener: Opener<Services> = {
  ...SPEAK,
  async open(args, ask) {
    const talk = openFor(await soon(pressedTask(args, ask), ask), speakerOf(ask));
    return speakForm(customId(SPOKEN.verb, SPOKEN.version, talk.id), ask.say);
  },
};

export const spokenForm: Form<Services> = {
  ...SPOKEN,
  // Pressed on a copy that one member sees alone, it is still said in the conversation.
  answers: 'openly',
  async run({ args, fields, files }, ask) {
    const { services, origin } = ask;
    const talk = openFor(await pressedTask(args, ask), speakerOf(ask));
    const request = saidIn(talk, { words: fields.words ?? '', sound: files.sound });
    await services.tasks.submit({ ...origin, kind: 'said', request, parent: talk });
    return 'shown as it goes';
  },
};

const speakerOf = ({ place }: Ask<Services>) => ({ memberId: place.userId, channelId: place.channelId });
