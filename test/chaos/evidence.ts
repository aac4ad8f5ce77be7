import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { Job } from '../../sandbox/gateway/job.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import type { Lives } from './keeper.ts';
import type { Members, Order } from './members.ts';
import type { Sides } from './sides.ts';
import { gatewayPaths } from './troubles.ts';
import { pressOf, promptIn } from './words.ts';

/** A message and its channel. */
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
  const jobs = gateway.jobs.list();
  const submits = sides.toGateway.entries.filter(
    ({ method, path }) => method === 'POST' && gatewayPaths.submit.path.test(path),
  );
  const callbacks = sides.toDiscord.entries.filter(({ path }) => path.startsWith('/interactions/'));
  const answers = new Map(standing.map((one) => [one.message.interaction_metadata?.id, one]));
  const given = new Set(members.orders.map(({ interactionId }) => interactionId));
  // A reply to an order is about this order alone.
  const others = standing.filter(({ message }) => !given.has(message.interaction_metadata?.id ?? ''));
  const shown = Map.groupBy(others, ({ words }) => orderIn(words));
  const asked = Map.groupBy(submits, (submit) => orderOfRequest(submit, jobs));
  const jobOf = new Map(jobs.map((job) => [orderOfJob(job, sides), job]));
  const acknowledged = new Map(callbacks.map((heard) => [heard.path.split('/')[2], heard]));
  const cases = members.orders.map(
    (order): Case => ({
      order,
      answer: answers.get(order.interactionId),
      fresh: shown.get(order.prompt) ?? [],
      submits: asked.get(order.prompt) ?? [],
      job: jobOf.get(order.prompt),
      callback: acknowledged.get(order.interactionId),
    }),
  );
  return { cases, standing, members, sides, keeper };
}

/** The order that a message is about. */
function orderIn(words: string): string | undefined {
  const prompt = promptIn(words);
  const index = /Upscale of image (\d)/.exec(words)?.[1];
  return prompt === undefined || index === undefined ? prompt : pressOf(prompt, index);
}

/** The order that a request to the gateway submits. */
export function orderOfRequest({ body }: { body: unknown }, jobs: readonly Job[]): string | undefined {
  if (isRecord(body) && typeof body.customId === 'string')
    return enlarged(
      jobs.find(({ id }) => id === body.taskId),
      body.customId,
    );
  const said = JSON.stringify(body) ?? '';
  return promptIn(said) ?? promptIn(imagesIn(said));
}

function orderOfJob(job: Job, { imageWords }: Pick<Sides, 'imageWords'>): string | undefined {
  if ('customId' in job.details && job.details.customId !== undefined) return enlarged(job, job.details.customId);
  return promptIn(job.prompt) ?? imageWords.get(job.id);
}

/** An enlarged image has the prompt of its grid. */
function enlarged(job: Pick<Job, 'prompt'> | undefined, customId: string): string | undefined {
  const prompt = promptIn(job?.prompt);
  const index = /upsample::(\d)/.exec(customId)?.[1];
  return prompt === undefined || index === undefined ? undefined : pressOf(prompt, index);
}

const imagesIn = (said: string): string =>
  [...said.matchAll(/base64,([A-Za-z0-9+/=]+)/g)]
    .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
    .join(' ');
