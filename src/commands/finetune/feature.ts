import { randomUUID } from 'node:crypto';
import { customIds, fineTuneIdFits } from '../../discord/custom-ids.ts';
import { eventsHash, type Follow, lastEditAt } from '../../discord/follower.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { FineTuneEvent } from '../../services/gateway/fine-tunes.ts';
import { maySeeAccount } from '../account-access.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { fineTunePage } from './view.ts';

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
  try {
    return await services.gateway.fineTunes.events(fineTuneId);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.kind === 'not-offered') throw new Refusal('refusals.fineTunesNotOffered');
    if (error.kind === 'not-found') throw new Refusal('refusals.fineTuneUnknown', { id: fineTuneId });
    throw error;
  }
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
