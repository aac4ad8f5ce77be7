import { randomUUID } from 'node:crypto';
import { type Follow, lastMoment, markOf } from '../../discord/follows/follow.ts';
import type { Ask } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { FineTuneEvent } from '../../services/gateway/fine-tunes.ts';
import { GatewayError } from '../../services/gateway/index.ts';
import { maySeeAccount } from '../audience.ts';
import type { Services } from '../services.ts';
import { fineTunePage } from './view.ts';

/** Fine-tunes belong to the account, and so does what is told of them. */
export async function mustSeeFineTunes(ask: Ask<Services>): Promise<void> {
  if (!(await maySeeAccount(ask))) throw new Refusal('refusals.fineTuneNotYours');
}

/** A page of the events, the newest unless told. */
export async function fineTuneAnswer(fineTuneId: string, ask: Ask<Services>, page?: number): Promise<MessagePlan> {
  const events = await eventsOf(fineTuneId, ask);
  return fineTunePage({ fineTuneId, events, page, following: { is: 'not' } }, ask.say);
}

/** The newest events, in a message that is kept up to date from now on. */
export async function followAnswer(fineTuneId: string, ask: Ask<Services>): Promise<MessagePlan> {
  const events = await eventsOf(fineTuneId, ask);
  const { clock, follows } = ask.services;
  const { applicationId, token, tokenExpiresAt } = ask.origin.route;
  if (token === undefined) throw new Refusal('refusals.unknownButton');
  const follow: Follow = {
    ...{ id: randomUUID().slice(0, 8), fineTuneId, applicationId, token, tokenExpiresAt },
    ...{ newsAt: clock.now(), seen: markOf(events) },
  };
  await follows.begin(follow, events);
  const until = lastMoment(follow);
  const following = { is: 'followed', followId: follow.id, until, quietMs: ask.services.followQuietMs } as const;
  return fineTunePage({ fineTuneId, events, following }, ask.say);
}

/** What was shown last, no longer kept up to date. */
export async function stoppedAnswer(fineTuneId: string, followId: string, ask: Ask<Services>): Promise<MessagePlan> {
  const events = (await ask.services.follows.stop(followId)) ?? (await eventsOf(fineTuneId, ask));
  return fineTunePage({ fineTuneId, events, following: { is: 'stopped' } }, ask.say);
}

/** What the gateway says no to is told in the words of this command. */
async function eventsOf(fineTuneId: string, { services }: Ask<Services>): Promise<readonly FineTuneEvent[]> {
  try {
    return await services.fineTunes.events(fineTuneId);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.kind === 'not-offered') throw new Refusal('refusals.fineTunesNotOffered');
    if (error.kind === 'not-found') throw new Refusal('refusals.fineTuneUnknown', { id: fineTuneId });
    throw error;
  }
}
