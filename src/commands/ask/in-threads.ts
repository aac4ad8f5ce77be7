import type { Answers } from '../../discord/answers/answers.ts';
import type { servedHere } from '../../discord/guards.ts';
import { type Spoken, spokenIn } from '../../discord/spoken.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Once } from '../../lib/once.ts';
import type { Say } from '../../locales/index.ts';
import type { Task } from '../../services/tasks/task.ts';
import { chosenModel } from '../model-option.ts';
import type { Services } from '../services.ts';
import { askedFor } from './request.ts';

interface InThreadsParts {
  services: Pick<Services, 'asks' | 'tasks' | 'models' | 'defaultModels'>;
  answers: Pick<Answers, 'replyTo' | 'change'>;
  isThread(channelId: string): Promise<boolean>;
  refusalHere: ReturnType<typeof servedHere>;
  sentenceFor(error: unknown): string;
  say: Say;
  log: Pick<Log, 'warn'>;
  clock: Clock;
}

/** Whoever has used `/ask` in a thread goes on there by writing. Nobody else's messages are looked at. */
export function askedInThreads({ isThread, refusalHere, log, ...parts }: InThreadsParts) {
  // After a lost connection Discord may tell of a message once more.
  const heard = new Once();
  return async (packet: unknown): Promise<void> => {
    const spoken = spokenIn(packet);
    if (!spoken || (!/[^\s\p{Cf}]/u.test(spoken.content) && spoken.files.length === 0)) return;
    try {
      const { memberId, channelId, guildId } = spoken;
      if (refusalHere({ guildId, install: 'guild' }, undefined) || !(await isThread(channelId))) return;
      const before = await parts.services.asks.newestOf({ memberId, channelId, isPrivate: false });
      if (!before || !heard.isFirst(spoken.id)) return;
      await goOn(spoken, before, parts);
    } catch (error) {
      log.warn({ err: error }, 'A message in a thread could not be looked at.');
    }
  };
}

async function goOn(
  { id, channelId, guildId, memberId, content, files }: Spoken,
  before: Task,
  { services, answers, sentenceFor, say, clock }: Omit<InThreadsParts, 'isThread' | 'refusalHere' | 'log'>,
): Promise<void> {
  const message = await answers.replyTo({ channelId, id }, { content: say('task.isAsked') });
  if (!message) return;
  try {
    const image = files.find(({ mediaType = '' }) => mediaType.startsWith('image/'));
    const file = files.find((one) => one !== image);
    const { effort, web } = before.request as { effort?: string; web?: boolean };
    const model = await chosenModel('text', before.model, services);
    const { applicationId, uploadLimit, locale } = before.route;
    await services.tasks.submit({
      ...{ kind: 'ask', requesterId: memberId, guildId, channelId, message, parent: before },
      request: askedFor({ prompt: content, image, file, effort, web }, model, before),
      // A message has no token of its own: what is shown is shown by the bot.
      route: {
        ...{ applicationId, uploadLimit, locale, isPrivate: false, install: 'guild', mayPost: true },
        tokenExpiresAt: clock.now(),
      },
    });
  } catch (error) {
    await answers.change(message, { content: sentenceFor(error) });
  }
}
