import { randomUUID } from 'node:crypto';
import { customIds, fineTuneIdFits } from '../../discord/custom-ids.ts';
import { eventsHash, type Follow, type FollowerParts, lastEditAt } from '../../discord/follower.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { buttonPlan, type FilePlan, type MessagePlan } from '../../discord/plan.ts';
import { utcTimeText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import { pageButtons } from '../../messages/task-buttons.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { FineTuneEvent } from '../../services/gateway/fine-tunes.ts';
import { maySeeAccount } from '../account-access.ts';
import { type Context, command, type Feature, on } from '../feature.ts';

/** Discord's 2,000 characters, minus the text around the events. */
const MAX_EVENTS_LENGTH = 1_500;
/** An event may be a long stack trace. It is cut off in the message; the attached file contains all of it. */
const MAX_EVENT_LENGTH = 700;

/** Whether the message is updated live, or why it no longer is. */
type FollowStatus =
  | { state: 'not' }
  | { state: 'followed'; followId: string; until: number; quietMs: number }
  | { state: 'stopped' | 'quiet' | 'too-late' | 'gone' };

export interface FineTunePage {
  fineTuneId: string;
  /** In chronological order; undefined if the gateway did not list them. */
  events: readonly FineTuneEvent[] | undefined;
  /** Counted from 0. Undefined, or a page beyond the end, means the last page, which is the newest. */
  page?: number | undefined;
  following: FollowStatus;
}

/** The events of a fine-tuning job, newest last, exactly as the gateway wrote them. */
export function fineTunePage(
  { fineTuneId, events: reportedEvents, page, following }: FineTunePage,
  say: Say,
): MessagePlan {
  const events = reportedEvents ?? [];
  const pages = pagesOf(events.map((event) => lineOf(event, say)));
  const lastIndex = pages.length - 1;
  // Live updates always show the newest page.
  const pageIndex = following.state === 'followed' ? lastIndex : Math.min(Math.max(0, page ?? lastIndex), lastIndex);
  const headingFacts = { id: inlineCode(fineTuneId), count: events.length };
  const heading =
    pages.length > 1
      ? say('fineTune.pageHeading', { ...headingFacts, page: String(pageIndex + 1), pages: String(pages.length) })
      : say('fineTune.heading', headingFacts);
  const block = ['```', ...(pages[pageIndex] ?? []), '```'].join('\n');
  const body = events.length === 0 ? say(reportedEvents ? 'fineTune.empty' : 'fineTune.noResponse') : block;
  return {
    content: [heading, body, ...noteOf(following, say)].join('\n'),
    files: events.length > 0 ? [fileOf(fineTuneId, events)] : [],
    controls: controlsOf(fineTuneId, following, { page: pageIndex, last: lastIndex }, say),
  };
}

/** Times are in UTC, as in a log, because Discord does not render its timestamps inside a code block. */
function lineOf({ at, level, message }: FineTuneEvent, say: Say): string {
  const time = at === undefined ? say('fineTune.noTime') : utcTimeText(at, say);
  const escapedMessage = escapeCodeBlock(message);
  // Do not cut inside a surrogate pair.
  const truncatedMessage =
    escapedMessage.length > MAX_EVENT_LENGTH
      ? `${escapedMessage.slice(0, MAX_EVENT_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`
      : escapedMessage;
  return [time, ...(level === undefined ? [] : [escapeCodeBlock(level)]), truncatedMessage].join('  ');
}

/** Three backticks would end the code block, so an invisible space is put between them. */
export const escapeCodeBlock = (text: string): string => text.replace(/`(?=`)/g, '`\u200b');

/** Fills the pages from the end, so that the newest page is full. */
function pagesOf(lines: readonly string[]): string[][] {
  const pages: string[][] = [[]];
  let remaining = MAX_EVENTS_LENGTH;
  for (const line of lines.toReversed()) {
    if (remaining < line.length + 1 && pages[0]?.length !== 0) {
      pages.unshift([]);
      remaining = MAX_EVENTS_LENGTH;
    }
    pages[0]?.unshift(line);
    remaining -= line.length + 1;
  }
  return pages;
}

function noteOf(following: FollowStatus, say: Say): string[] {
  if (following.state === 'not') return [];
  if (following.state !== 'followed') return [`-# ${say(`fineTune.ended.${following.state}`)}`];
  const until = String(Math.floor(following.until / 1000));
  return [`-# ${say('fineTune.followed', { until, duration: following.quietMs / 1_000 })}`];
}

function controlsOf(fineTuneId: string, following: FollowStatus, pages: { page: number; last: number }, say: Say) {
  if (following.state === 'followed') {
    const stop = customIds.fineTune.id({ do: 'stop', fineTuneId, followId: following.followId });
    return [buttonPlan(say('fineTune.stop'), stop, { emoji: '⏹️' })];
  }
  const followId = customIds.fineTune.id({ do: 'follow', fineTuneId });
  const follow = buttonPlan(say('fineTune.follow'), followId, { emoji: '🔁' });
  const pageId = (page: number): string => customIds.fineTune.id({ do: 'page', fineTuneId, page });
  return pages.last === 0 ? [follow] : [...pageButtons(pageId, pages, say), follow];
}

/** A file with all events as plain text, exactly as the gateway wrote them. */
function fileOf(fineTuneId: string, events: readonly FineTuneEvent[]): FilePlan {
  const lines = events.map(({ at, level, message }) => {
    const time = at === undefined ? '-' : new Date(at).toISOString();
    return `${time}\t${level ?? '-'}\t${message}\n`;
  });
  return {
    name: `${fineTuneId.replace(/[^\w.-]+/g, '-').slice(0, 60)}-events.txt`,
    bytes: Buffer.from(lines.join('')),
  };
}

/** Builds the page of a message that is, or was, updated live. */
export const followedPagePlan =
  (quietMs: number): FollowerParts['planOf'] =>
  ({ id, fineTuneId, tokenExpiresAt, language }, events, end) => {
    const until = lastEditAt(tokenExpiresAt);
    const following: FollowStatus =
      end === undefined ? { state: 'followed', followId: id, until, quietMs } : { state: end };
    return fineTunePage({ fineTuneId, events, following }, sayIn(language));
  };

/** Turns the pages of `/finetune`, and starts and stops live updates. Permissions are checked on every press. */
const fineTuneButton = on(customIds.fineTune, {
  reply: 'here',
  async run(pointer, context) {
    await requireFineTuneAccess(context);
    const { fineTuneId } = pointer;
    switch (pointer.do) {
      case 'page':
        return pageReply(fineTuneId, context, pointer.page);
      case 'follow':
        return followReply(fineTuneId, context);
      case 'stop': {
        const events =
          (await context.services.discord.follows.stop(pointer.followId)) ?? (await eventsOf(fineTuneId, context));
        return fineTunePage({ fineTuneId, events, following: { state: 'stopped' } }, context.say);
      }
    }
  },
});

/** Fine-tunes belong to the gateway account, so only those who can see the account can see them. */
async function requireFineTuneAccess(context: Context): Promise<void> {
  if (!(await maySeeAccount(context))) throw new Refusal('refusals.fineTuneNotYours');
}

async function pageReply(fineTuneId: string, context: Context, page?: number): Promise<MessagePlan> {
  const events = await eventsOf(fineTuneId, context);
  return fineTunePage({ fineTuneId, events, page, following: { state: 'not' } }, context.say);
}

/** Shows the newest events, in a message that is updated from now on. */
async function followReply(fineTuneId: string, context: Context): Promise<MessagePlan> {
  const events = await eventsOf(fineTuneId, context);
  const { clock, settings } = context.services;
  const quietMs = settings.followQuietMs;
  const { applicationId, token, tokenExpiresAt } = context.origin.route;
  if (token === undefined) throw new Refusal('refusals.unknownButton');
  const follow: Follow = {
    id: randomUUID().slice(0, 8),
    fineTuneId,
    applicationId,
    token,
    tokenExpiresAt,
    newsAt: clock.now(),
    seen: eventsHash(events),
    language: context.say.language,
  };
  await context.services.discord.follows.begin(follow, events);
  const following = {
    state: 'followed',
    followId: follow.id,
    until: lastEditAt(follow.tokenExpiresAt),
    quietMs,
  } as const;
  return fineTunePage({ fineTuneId, events, following }, context.say);
}

/** Gateway errors about a fine-tuning job are reported with this command's own messages. */
async function eventsOf(fineTuneId: string, { services }: Context): Promise<readonly FineTuneEvent[]> {
  return services.gateway.fineTunes.events(fineTuneId).catch((error: unknown) => {
    const kind = error instanceof GatewayError ? error.kind : undefined;
    if (kind === 'not-offered') throw new Refusal('refusals.fineTunesNotOffered');
    if (kind === 'not-found') throw new Refusal('refusals.fineTuneUnknown', { id: fineTuneId });
    throw error;
  });
}

export const finetune: Feature = {
  isForAccount: true,
  command: command({
    name: 'finetune',
    options: {
      id: { type: 'text', required: true, max: 60 },
      follow: { type: 'switch' },
    },
    parse({ id: input, follow }) {
      const id = input.trim();
      return id !== '' && fineTuneIdFits(id) ? { id, follow } : new Refusal('refusals.fineTuneNoId');
    },
    async run({ id, follow }, context) {
      await requireFineTuneAccess(context);
      return follow ? followReply(id, context) : pageReply(id, context);
    },
  }),
  handlers: [fineTuneButton],
};
