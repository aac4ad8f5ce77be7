import type { Follower } from '../discord/follower.ts';
import type { ThreadMaker } from '../discord/outbox/threads.ts';
import type { Place } from '../discord/place.ts';
import type { Prepared } from '../discord/plan.ts';
import type { Once } from '../lib/once.ts';
import type { MessageServices } from '../messages/pressed-task.ts';
import type { Asks } from '../services/asks/asks.ts';
import type { FineTunes } from '../services/gateway/fine-tunes.ts';
import type { Talks } from '../services/talks/talks.ts';
import type { Offers } from '../services/tasks/offers.ts';
import type { Task } from '../services/tasks/task.ts';
import type { UsageDesk } from '../services/usage/usage-desk.ts';
import type { Health } from './about/view.ts';
import type { ModelServices } from './options.ts';
import type { refuseLongReferences } from './video/reference-lengths.ts';
import type { VideoFields } from './video/request.ts';

/** What commands and buttons need. `openCommands` puts it together. */
export interface Services extends MessageServices, ModelServices {
  videoFields: VideoFields;
  refuseLongReferences: ReturnType<typeof refuseLongReferences>;
  asks: Asks;
  talks: Talks;
  /** Where live conversations take place. */
  threads: Pick<ThreadMaker, 'make' | 'open' | 'close'>;
  usage: UsageDesk;
  fineTunes: Pick<FineTunes, 'events'>;
  /** Messages that are kept up to date. */
  follows: Pick<Follower, 'begin' | 'stop'>;
  /** For how long nothing new may come to them. */
  followQuietMs: number;
  /** Servers whose managers may see what the account spent. */
  adminGuildIds: readonly string[];
  /** Whether a person owns the application, or belongs to the team that does. */
  isOperator(userId: string): Promise<boolean>;
  /** Which of the buttons on results this gateway takes. */
  offers: Offers;
  /** Questions that have had their answer: one yes is one order, however often it is pressed. */
  answered: Once;
  /** A finished task's message with its results, fetched anew, as large as this place takes them. */
  brought(task: Task, place: Place): Promise<Prepared>;
  health(): Promise<Health>;
  /** The commands and menus that members see in this place, with the id under which each is registered where it is. */
  registered(place: Place): Promise<ReadonlyMap<string, string>>;
}
