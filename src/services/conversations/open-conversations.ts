import { systemClock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { TaskStore } from '../orders/task-store.ts';
import type { MemberFile } from '../tasks/materials.ts';
import { createAnswerSchemas } from './answer-schemas.ts';
import { Asks } from './asks.ts';
import type { ConversationContext } from './conversation-context.ts';
import { Talks } from './talks.ts';

export function openConversations(sources: Omit<ConversationContext, 'answers' | 'change'> & { store: TaskStore }) {
  const { book, store, gather } = sources;
  const context: ConversationContext = {
    ...sources,
    answers: { get: book.get.bind(book), page: store.page.bind(store) },
    change: (id, transition) => book.change(id, transition, { mustHold: true }),
  };
  const textOf = async (file: MemberFile, memberId: string): Promise<string | undefined> => {
    const timeLimitMs = sources.settings.maxWaitMs.text;
    const { documents: [document] = [] } = await gather({ documents: [file] }, { memberId, timeLimitMs });
    return document?.text;
  };
  // A thread takes real time, even if the bot uses a different clock.
  const schemas = createAnswerSchemas(textOf, systemClock);
  const asks = new Asks(context, schemas);
  const talks = new Talks(context);
  return {
    asks,
    talks,
    schemas,
    kinds: [asks.kind, ...talks.kinds],

    async readText(file: MemberFile, memberId: string): Promise<string> {
      const text = await textOf(file, memberId);
      if (text === undefined) throw new Refusal('refusals.notText');
      return text;
    },

    finish: () => Promise.all([asks.finish(), talks.finish()]),

    close: (): Promise<void> => schemas.close(),
  };
}
