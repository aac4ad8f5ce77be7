import type { Answers } from '../../discord/answers/answers.ts';
import type { Spoken } from '../../discord/spoken.ts';
import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Say } from '../../locales/index.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Hearer } from '../in-threads.ts';
import { saysAnything } from '../prompt-option.ts';
import type { Services } from '../services.ts';
import { isHeardIn, openFor, saidIn } from './said.ts';

interface TalkInThreadsParts {
  services: Pick<Services, 'talks' | 'tasks'>;
  answers: Pick<Answers, 'replyTo' | 'change'>;
  sentenceFor(error: unknown): string;
  say: Say;
  clock: Clock;
}

/** By what Discord says of a file; what is in it is looked at before it is sent. */
const SOUND = /^audio\//i;
const SOUND_NAME = /\.(?:ogg|oga|opus|mp3|wav|m4a|aac|flac)$/i;

/** Whoever is heard in a live conversation speaks by writing where it takes place, or by sending a sound. */
export function talkInThreads(parts: TalkInThreadsParts): Hearer {
  // What is said first is answered first, however long its sound takes to come.
  const turns = new KeyedLock();
  return async (spoken) => {
    const { channelId, memberId } = spoken;
    const talk = parts.services.talks.in(channelId);
    if (!talk || !isHeardIn(talk, memberId)) return undefined;
    return () => turns.run(channelId, () => speak(spoken, talk, parts));
  };
}

async function speak(
  { id, channelId, guildId, memberId, content, files }: Spoken,
  talk: Task,
  { services, answers, sentenceFor, say, clock }: TalkInThreadsParts,
): Promise<void> {
  const sound = files.find(({ mediaType, name }) => (mediaType ? SOUND.test(mediaType) : SOUND_NAME.test(name)));
  // A picture alone is for the people there.
  if (!sound && !saysAnything(content)) return;
  const message = await answers.replyTo({ channelId, id }, { content: say('task.submitting') });
  if (!message) return;
  try {
    const { applicationId, uploadLimit, locale, maySpeak } = talk.route;
    await services.tasks.submit({
      ...{ kind: 'said', requesterId: memberId, guildId, channelId, message, parent: talk },
      request: saidIn(openFor(talk, { memberId, channelId }), { words: content, sound }),
      // A message has no token of its own: what is shown is shown by the bot.
      route: {
        ...{ applicationId, uploadLimit, locale, isPrivate: false, install: 'guild', mayPost: true, maySpeak },
        tokenExpiresAt: clock.now(),
      },
    });
  } catch (error) {
    await answers.change(message, { content: sentenceFor(error) });
  }
}
