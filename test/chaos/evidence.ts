import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { Job } from '../../sandbox/gateway/job.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import type { ProcessHistory } from './keeper.ts';
import type { Members, Order } from './members.ts';
import type { EmbeddedServers } from './sides.ts';
import { gatewayPaths } from './troubles.ts';
import { pressId, promptIn } from './words.ts';

/** A message and its channel. */
export interface ShownMessage {
  readonly message: Message;
  readonly channelId: string;
  readonly words: string;
}

/** Everything that is known about one request without querying the bot. */
export interface Case {
  readonly order: Order;
  /** The reply to the interaction. */
  readonly reply: ShownMessage | undefined;
  /** Separate messages about the order. */
  readonly freshMessages: readonly ShownMessage[];
  /** The submits that the gateway received for the order. */
  readonly submits: readonly RecordedGatewayRequest[];
  readonly job: Job | undefined;
  /** The acknowledgement as Discord received it. */
  readonly callback: RecordedRequest | undefined;
}

export interface Evidence {
  readonly cases: readonly Case[];
  readonly shownMessages: readonly ShownMessage[];
  /** The hints about `/setup`, which stand below the reply to an order without being about it. */
  readonly setupHints: readonly ShownMessage[];
  readonly members: Members;
  readonly servers: EmbeddedServers;
  readonly keeper: ProcessHistory;
}

export function evidenceOf(servers: EmbeddedServers, members: Members, keeper: ProcessHistory): Evidence {
  servers.readLogs();
  const { discord, gateway } = servers;
  const allMessages = [...discord.world.channels.keys()].flatMap((channelId) =>
    discord.messages(channelId).map((message) => ({ message, channelId, words: text(message) })),
  );
  const setupHints = allMessages.filter(({ words }) =>
    words.includes('The bot has not been set up on this server yet'),
  );
  const shownMessages = allMessages.filter((one) => !setupHints.includes(one));
  const jobs = gateway.jobs.list();
  const submits = servers.gatewayLog.entries.filter(
    ({ method, path }) => method === 'POST' && gatewayPaths.submit.path.test(path),
  );
  const callbacks = servers.discordLog.entries.filter(({ path }) => path.startsWith('/interactions/'));
  const replies = new Map(shownMessages.map((one) => [one.message.interaction_metadata?.id, one]));
  const interactionIds = new Set(members.orders.map(({ interactionId }) => interactionId));
  // A reply to an order is about this order alone.
  const otherMessages = shownMessages.filter(
    ({ message }) => !interactionIds.has(message.interaction_metadata?.id ?? ''),
  );
  const messagesByOrder = Map.groupBy(otherMessages, ({ words }) => orderIn(words));
  const submitsByOrder = Map.groupBy(submits, (submit) => orderOfRequest(submit, jobs));
  const jobOf = new Map(jobs.map((job) => [orderOfJob(job, servers), job]));
  const callbacksByInteraction = new Map(callbacks.map((request) => [request.path.split('/')[2], request]));
  const cases = members.orders.map(
    (order): Case => ({
      order,
      reply: replies.get(order.interactionId),
      freshMessages: messagesByOrder.get(order.prompt) ?? [],
      submits: submitsByOrder.get(order.prompt) ?? [],
      job: jobOf.get(order.prompt),
      callback: callbacksByInteraction.get(order.interactionId),
    }),
  );
  return { cases, shownMessages, setupHints, members, servers, keeper };
}

/** The order that a message is about. */
function orderIn(words: string): string | undefined {
  const prompt = promptIn(words);
  const index = /Upscale of image (\d)/.exec(words)?.[1];
  return prompt === undefined || index === undefined ? prompt : pressId(prompt, index);
}

/** The order that a request to the gateway submits. */
export function orderOfRequest({ body }: { body: unknown }, jobs: readonly Job[]): string | undefined {
  if (isRecord(body) && typeof body.customId === 'string')
    return upscaleOrder(
      jobs.find(({ id }) => id === body.taskId),
      body.customId,
    );
  const json = JSON.stringify(body) ?? '';
  return promptIn(json) ?? promptIn(imagesIn(json));
}

function orderOfJob(job: Job, { imageWords }: Pick<EmbeddedServers, 'imageWords'>): string | undefined {
  if ('customId' in job.details && job.details.customId !== undefined) return upscaleOrder(job, job.details.customId);
  return promptIn(job.prompt) ?? imageWords.get(job.id);
}

/** An enlarged image has the prompt of its grid. */
function upscaleOrder(job: Pick<Job, 'prompt'> | undefined, customId: string): string | undefined {
  const prompt = promptIn(job?.prompt);
  const index = /upsample::(\d)/.exec(customId)?.[1];
  return prompt === undefined || index === undefined ? undefined : pressId(prompt, index);
}

const imagesIn = (json: string): string =>
  [...json.matchAll(/base64,([A-Za-z0-9+/=]+)/g)]
    .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
    .join(' ');
