import { Answers } from '../discord/answers/answers.ts';
import { Delivery } from '../discord/delivery/delivery.ts';
import { trackUntilDone } from '../lib/track-until-done.ts';
import { sayIn } from '../locales/index.ts';
import { hasEnded } from '../services/tasks/task.ts';
import { presenter } from './presenter.ts';
import type { MessageSources } from './results.ts';
import { ResultReview } from './review/result-review.ts';
import { talkNotice } from './talk-message.ts';

export type Messages = ReturnType<typeof openMessages>;

/** Creates the parts that show tasks in messages and update the messages whenever their tasks change. */
export function openMessages(sources: MessageSources) {
  const { tasks, outbox, clock, log } = sources;
  const { prepareMessage, hintFor, answerOf, messageOf, previewOfResult, prepareAgain } = presenter(sources);
  const deliveryParts = { outbox, clock, log, change: tasks.book.change.bind(tasks.book) };
  const review = new ResultReview(sources);
  const delivery = new Delivery({ ...deliveryParts, prepareMessage, hintFor });
  const answers = new Answers({ ...deliveryParts, delivery, plansOf: answerOf, messageOf });
  const notices = new Set<Promise<unknown>>();
  tasks.book.onChange((task, previous) => {
    if (task.talk && previous && hasEnded(task) && !hasEnded(previous)) {
      answers.updateButtons(task.talk.turns.toReversed());
      // The message that would tell the others so has been deleted with its owner's data.
      if (task.unwanted && task.channelId !== undefined && task.traits.hearsEveryone?.(task.request))
        void trackUntilDone(outbox.sendInChannel(task.channelId, talkNotice(task, sayIn(task.language))), notices);
    }
    if (task.traits.isText) answers.show(task);
    else if (!task.traits.isPart && !review.intercept(task, previous)) delivery.show(task);
  });
  return {
    answers,
    messageOf,
    previewOfResult,
    prepareAgain,
    judgeAgain: review.judgeAgain.bind(review),

    async finish(): Promise<void> {
      await Promise.all([answers.finish(), review.finish(), ...notices]);
      await delivery.finish();
    },
  };
}
