import { Answers } from '../discord/answers/answers.ts';
import { Delivery } from '../discord/delivery/delivery.ts';
import { hasEnded } from '../services/tasks/task.ts';
import { presenter } from './presenter.ts';
import type { MessageSources } from './results.ts';
import { ResultReview } from './review/result-review.ts';

export type Messages = ReturnType<typeof openMessages>;

/** Creates the parts that show tasks in messages and update the messages whenever their tasks change. */
export function openMessages(sources: MessageSources) {
  const { tasks, outbox, clock, log } = sources;
  const { prepareMessage, hintFor, answerOf, messageOf, previewOfResult, prepareAgain } = presenter(sources);
  const deliveryParts = { outbox, clock, log, change: tasks.book.change.bind(tasks.book) };
  const review = new ResultReview(sources);
  const delivery = new Delivery({ ...deliveryParts, prepareMessage, hintFor });
  const answers = new Answers({ ...deliveryParts, delivery, plansOf: answerOf, messageOf });
  tasks.book.onChange((task, previous) => {
    if (task.talk && previous && hasEnded(task) && !hasEnded(previous))
      answers.updateButtons(task.talk.turns.toReversed());
    if (task.traits.isText) answers.show(task);
    else if (!task.traits.isPart && !review.intercept(task)) delivery.show(task);
  });
  return {
    answers,
    messageOf,
    previewOfResult,
    prepareAgain,
    judgeAgain: review.judgeAgain.bind(review),

    async finish(): Promise<void> {
      await Promise.all([answers.finish(), review.finish()]);
      await delivery.finish();
    },
  };
}
