import type { Follower } from '../discord/follower.ts';
import { definersFor, type HandlerContext } from '../discord/handlers.ts';
import type { ThreadCreator } from '../discord/outbox/threads.ts';
import type { InteractionFacts, Origin } from '../discord/place.ts';
import type { MessagePlan, PreparedMessage } from '../discord/plan.ts';
import type { RateLimiter } from '../discord/rates.ts';
import type { MessageServices } from '../messages/pressed-task.ts';
import type { Preview } from '../messages/previews.ts';
import type { Asks } from '../services/asks/asks.ts';
import type { AnswerSchemas } from '../services/asks/schema/answer-schemas.ts';
import type { Fingerprints } from '../services/fingerprints/fingerprints.ts';
import type { FineTunes } from '../services/gateway/fine-tunes.ts';
import type { GatewaySettings } from '../services/gateway/settings.ts';
import type { Media } from '../services/media/index.ts';
import type { ModelCatalogue } from '../services/models/catalogue.ts';
import type { Reports } from '../services/reports/reports.ts';
import type { RuleTargets } from '../services/rules/rules-file.ts';
import type { Budgets } from '../services/spending/budgets.ts';
import type { Spending } from '../services/spending/spending.ts';
import type { Talks } from '../services/talks/talks.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { Offers } from '../services/tasks/offers.ts';
import type { Task } from '../services/tasks/task.ts';
import type { UsageReader } from '../services/usage/usage-reader.ts';
import type { Health } from './about/view.ts';
import type { CommandsParts } from './parts.ts';
import type { ReportDelivery } from './server/report-delivery.ts';
import type { referenceSeconds } from './video/reference-lengths.ts';

/** The services that commands and buttons use. `createCommands` assembles them. */
export interface Services extends MessageServices {
  models: ModelCatalogue;
  defaultModels: CommandsParts['settings']['models'];
  videoFields: GatewaySettings['fields'];
  referenceSeconds: ReturnType<typeof referenceSeconds>;
  asks: Asks;
  schemas: AnswerSchemas;
  talks: Talks;
  threads: ThreadCreator;
  usage: UsageReader;
  /** How much members can still spend. */
  spending: Spending;
  /** What admins have decided about spending. */
  budgets: Budgets;
  /** Reports of results to moderators, and their delivery. */
  reports: Reports;
  reportDelivery: ReportDelivery;
  ruleTargets: RuleTargets;
  rateLimiter: RateLimiter;
  /** Counts the usage of every period, whether or not the period has a limit. */
  countEverything(): Promise<void>;
  media: Media;
  fingerprints: Fingerprints;
  /** Reads a member's text file; refuses files that are not text. */
  readText(file: MemberFile, memberId: string): Promise<string>;
  /** Whether the bot is in a server. */
  isInServer(guildId: string): Promise<boolean>;
  /** Whether a channel belongs to another server; an ID can be forged. */
  isForeignChannel(channelId: string, guildId: string): Promise<boolean>;
  /** The names of a server's roles and channels, by their mentions. */
  serverNames(guildId: string): Promise<ReadonlyMap<string, string>>;
  /** Posts a message. Returns false if Discord did not accept it. */
  postInChannel(channelId: string, plan: MessagePlan): Promise<boolean>;
  /** Posts a message in a server's log channel, whose messages are deleted after the server's retention period. `memberId`: the member whom it names. */
  postInLog(guildId: string, channelId: string, plan: MessagePlan, memberId?: string): Promise<boolean>;
  fineTunes: FineTunes;
  follows: Follower;
  /** Live updates stop after this time without a new event. */
  followQuietMs: number;
  /** Servers whose admins can see what the gateway account has spent. */
  adminGuildIds: readonly string[];
  /** The id of the bot as a user, which some applications do not share. */
  botUserId(): string | undefined;
  /** Whether a user owns the application, or belongs to the team that does. */
  isOperator(userId: string): Promise<boolean>;
  /** Which buttons on results this gateway accepts. */
  offers: Offers;
  /** A small image of a finished task's result, unless there is none or its message was deleted. */
  previewOfResult(task: Task): Promise<Preview | undefined>;
  /** The task as this place may show its results, by its rules. */
  judgeAgain(task: Task, place: InteractionFacts): Promise<Task>;
  /** A finished task's message with its results, fetched again, within the upload limit of this place. */
  prepareAgain(task: Task, origin: Origin): Promise<PreparedMessage>;
  health(): Promise<Health>;
  operatorState: CommandsParts['operatorState'];
  /** The commands and menus that are registered for this place, with their ids. */
  registeredCommands(place: InteractionFacts): Promise<ReadonlyMap<string, string>>;
}

export type Context = HandlerContext<Services>;

export const { command, on } = definersFor<Services>();
