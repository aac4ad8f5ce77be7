import { systemClock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { TaskStore } from '../orders/task-store.ts';
import type { MemberFile } from '../tasks/materials.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { Asks } from './asks.ts';
import type { ConversationContext } from './conversation-context.ts';
import { Talks } from './talks.ts';

/** Opens the answers of `/ask` and live conversations. */
export function openConversations(sources: Omit<ConversationContext, 'answers'> & { store: TaskStore }) {
  const { book, store, gather } = sources;
  const context = { ...sources, answers: { get: book.get.bind(book), page: store.page.bind(store) } };
  // A thread takes real time, even if the bot uses a different clock.
  const schemas = new AnswerSchemas(gather, sources.settings, systemClock);
  const asks = new Asks(context, schemas);
  const talks = new Talks(context);
  return {
    asks,
    talks,
    schemas,
    kinds: [asks.kind, ...talks.kinds],

    async readText(file: MemberFile, memberId: string): Promise<string> {
      const timeLimitMs = sources.settings.maxWaitMs.text;
      const { documents: [document] = [] } = await gather({ documents: [file] }, { memberId, timeLimitMs });
      if (document?.text === undefined) throw new Refusal('refusals.notText');
      return document.text;
    },

    finish: () => Promise.all([asks.finish(), talks.finish()]),

    close: (): Promise<void> => schemas.close(),
  };
}
