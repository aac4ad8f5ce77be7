import type { AppContext } from '../../lib/app-context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { AudioService } from '../media/audio.ts';
import type { Money } from '../money/open-money.ts';
import type { TaskBook, Transition } from '../orders/book.ts';
import type { Discord } from '../orders/discord.ts';
import type { TaskReader } from '../orders/task-store.ts';
import type { Gather } from '../tasks/materials.ts';
import type { Task } from '../tasks/task.ts';

export interface ConversationContext extends AppContext {
  settings: {
    /** Used for a call that names no model. */
    models: Readonly<Partial<Record<'image' | 'video', string>>>;
    /** `text`: how long the files that the gateway fetches itself must stay available. */
    maxWaitMs: { text: number };
  };
  book: TaskBook;
  /** Changes a task even while the store fails. */
  change(id: string, transition: Transition): Promise<Task>;
  answers: TaskReader;
  gateway: Gateway;
  discord: Discord;
  money: Money;
  models: ModelCatalogue;
  gather: Gather;
  audio: AudioService;
  /** Returns the member's pseudonym at the gateway. Undefined if members have none. */
  userOf?: ((memberId: string) => Promise<string>) | undefined;
}
