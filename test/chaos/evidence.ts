import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { Job } from '../../sandbox/gateway/job.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import type { Lives } from './keeper.ts';
import type { Members, Order } from './members.ts';
import type { Sides } from './sides.ts';

/** A message and the channel that it is in. */
export interface Standing {
  readonly message: Message;
  readonly channelId: string;
  readonly words: string;
}

/** Everything that can be known about one request without asking the bot. */
export interface Case {
  readonly order: Order;
  /** Its interaction reply. */
  readonly answer: Standing | undefined;
  /** Separate messages that show it. */
  readonly fresh: readonly Standing[];
  /** How many jobs the gateway has for it. */
  readonly submits: readonly RecordedGatewayRequest[];
  readonly job: Job | undefined;
  /** The acknowledgement as Discord received it. */
  readonly callback: RecordedRequest | undefined;
}

export interface Evidence {
  readonly cases: readonly Case[];
  readonly standing: readonly Standing[];
  readonly members: Members;
  readonly sides: Sides;
  readonly keeper: Lives;
}

export function evidenceOf(sides: Sides, members: Members, keeper: Lives): Evidence {
  sides.listen();
  const { discord, gateway } = sides;
  const standing = [...discord.world.channels.keys()].flatMap((channelId) =>
    discord.messages(channelId).map((message) => ({ message, channelId, words: text(message) })),
  );
  const submits = sides.toGateway.entries.filter(({ path }) => path.includes('/submit/'));
  const callbacks = sides.toDiscord.entries.filter(({ path }) => path.startsWith('/interactions/'));
  const answers = new Map(standing.map((one) => [one.message.interaction_metadata?.id, one]));
  const shown = Map.groupBy(standing, ({ words }) => promptIn(words));
  const asked = Map.groupBy(submits, ({ body }) => promptIn(JSON.stringify(body)));
  const jobs = new Map(gateway.jobs.list().map((job) => [promptIn(job.prompt), job]));
  const acknowledged = new Map(callbacks.map((heard) => [heard.path.split('/')[2], heard]));
  const cases = members.orders.map((order): Case => {
    const answer = answers.get(order.interactionId);
    return {
      order,
      answer,
      fresh: shown.get(order.prompt)?.filter((one) => one !== answer) ?? [],
      submits: asked.get(order.prompt) ?? [],
      job: jobs.get(order.prompt),
      callback: acknowledged.get(order.interactionId),
    };
  });
  return { cases, standing, members, sides, keeper };
}

/** All prompts are the same except for one word. */
export const promptIn = (words: string | undefined): string | undefined => words?.match(/a fox q\w+x\b/)?.[0];
