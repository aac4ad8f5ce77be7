import type { Answers } from '../../discord/answers/answers.ts';
import type { Spoken } from '../../discord/spoken.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Say } from '../../locales/index.ts';
import type { TaskOf } from '../../services/tasks/task.ts';
import type { Hearer } from '../in-threads.ts';
import { chosenModel } from '../model-option.ts';
import type { Services } from '../services.ts';
import { askedFor } from './request.ts';

interface AskInThreadsParts {
  services: Pick<Services, 'asks' | 'tasks' | 'models' | 'defaultModels'>;
  answers: Pick<Answers, 'replyTo' | 'change'>;
  isThread(channelId: string): Promise<boolean>;
  sentenceFor(error: unknown): string;
  say: Say;
  clock: Clock;
}

/** Whoever has used `/ask` in a thread goes on there by writing. */
export function askInThreads({ isThread, ...parts }: AskInThreadsParts): Hearer {
  return async (spoken) => {
    const { memberId, channelId } = spoken;
    if (!(await isThread(channelId))) return undefined;
    const before = await parts.services.asks.newestOf({ memberId, channelId, isPrivate: false });
    return before && (() => goOn(spoken, before, parts));
  };
}

async function goOn(
  { id, channelId, guildId, memberId, content, files }: Spoken,
  before: TaskOf<'ask'>,
  { services, answers, sentenceFor, say, clock }: Omit<AskInThreadsParts, 'isThread'>,
): Promise<void> {
  const message = await answers.replyTo({ channelId, id }, { content: say('task.submitting') });
  if (!message) return;
  try {
    const image = files.find(({ mediaType = '' }) => mediaType.startsWith('image/'));
    const file = files.find((one) => one !== image);
    const { effort, web } = before.request;
    const model = await chosenModel('text', before.model, services);
    const { applicationId, uploadLimit, locale } = before.route;
    // A message has no token of its own: what is shown is shown by the bot.
    const route = {
      ...({ applicationId, uploadLimit, locale, isPrivate: false, install: 'guild', mayPost: true } as const),
      tokenExpiresAt: clock.now(),
    };
    const origin = { requesterId: memberId, guildId, channelId, message, route };
    const request = askedFor({ prompt: content, image, file, effort, web }, model, before, origin);
    await services.tasks.submit({ ...origin, kind: 'ask', request, parent: before });
  } catch (error) {
    await answers.change(message, { content: sentenceFor(error) });
  }
}
