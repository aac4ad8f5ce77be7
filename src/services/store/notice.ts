import { z } from 'zod';
import type { StoredRows } from '../../lib/stored-rows.ts';

/** Topics with an end, of which the watch lists all current trouble again and again. The operator is notified when it is over. */
export const watchedTopics = ['lane', 'store', 'budget', 'balance', 'model', 'moderation'] as const;
const troubleTopics = [...watchedTopics, 'gateway', 'channel', 'noCredit'] as const;
/** Topics without an end. */
const eventTopics = ['started', 'unreadable'] as const;
export type NoticeTopic = (typeof troubleTopics)[number] | (typeof eventTopics)[number];

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A message to the operator about one cause. Nothing in it is about a member. */
export const noticeRow = z.object({
  /** A topic. Another version may have stored topics that this one does not know. */
  topic: z.string(),
  /** What the notice is about, such as the name of a lane. Each subject has its own notice. */
  subject: z.string(),
  /** The variables of the text. */
  facts,
  since: z.number(),
  /** How many times the trouble has started, or the event has happened. */
  count: z.number(),
  endedAt: z.number().optional(),
  /** When the latest new message was about to be sent. */
  postedAt: z.number().optional(),
  messages: z.array(z.object({ channelId: z.string(), id: z.string() })),
  /** Whether the messages are up to date. */
  isShown: z.boolean(),
});
export type Notice = z.output<typeof noticeRow>;
export type NoticeFacts = z.output<typeof facts>;

/** What is wrong, or has happened. */
export interface Occurrence {
  topic: NoticeTopic;
  subject?: string | undefined;
  facts?: NoticeFacts | undefined;
  /** When the trouble started, if known. */
  since?: number | undefined;
}

/** What the bot of one partition knows. The bot of partition 0 notifies the operator for all of them. */
export const findings = z.object({
  /** When this bot started: before, another one may have known more. */
  startedAt: z.number(),
  /** All current trouble that is noticed where it happens. */
  occurrences: z.array(
    z.object({
      topic: z.enum(watchedTopics),
      subject: z.string().optional(),
      facts: facts.optional(),
      since: z.number().optional(),
    }),
  ),
  /** When the gateway rejected the key, or was found to be silent at the start; not set once it has accepted the key. */
  gateway: z.object({
    isAccepted: z.boolean(),
    keyRejectedAt: z.number().optional(),
    silentSince: z.number().optional(),
  }),
  /** For each kind of task, whether the account had credit for the latest one, and when that was. */
  credit: z.record(z.string(), z.object({ isAvailable: z.boolean(), at: z.number() })),
});
export type Findings = z.output<typeof findings>;

export type NoticeStore = Pick<StoredRows<Notice>, 'all' | 'put' | 'remove'>;

export const causeOf = ({ topic, subject = '' }: { topic: string; subject?: string | undefined }): string =>
  `${topic} ${subject}`;

const events: ReadonlySet<string> = new Set(eventTopics);
const topics: ReadonlySet<string> = new Set([...troubleTopics, ...eventTopics]);

export const isEvent = ({ topic }: { topic: string }): boolean => events.has(topic);
export const isTopic = (topic: string): topic is NoticeTopic => topics.has(topic);
