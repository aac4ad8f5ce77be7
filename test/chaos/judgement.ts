import { ChannelType } from 'discord-api-types/v10';
import { type Afterwards, IDLE } from './afterwards.ts';
import type { Evidence, Standing } from './evidence.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import { sightOf, taskOf } from './sight.ts';
import { wasUntold } from './untold.ts';
import { promptIn } from './words.ts';

export interface Judged extends Evidence {
  readonly outcomes: readonly Outcome[];
}

export function judged(evidence: Evidence, stepMs?: number): Judged {
  const { tokensExpiredAt, struck } = evidence.sides;
  const { kills } = evidence.keeper;
  const circumstances = { kills, tokensExpiredAt, struck, ...(stepMs !== undefined && { stepMs }) };
  return { ...evidence, outcomes: evidence.cases.map((one) => outcomeOf(one, circumstances)) };
}

/** Promises about one request that are broken, or not fulfilled yet. */
export const brokenIn = ({ outcomes }: Pick<Judged, 'outcomes'>): string[] =>
  outcomes.flatMap((outcome) => (typeof outcome === 'string' ? [] : [outcome.broken]));

/** One sentence for each broken promise. */
export function brokenPromises(all: Judged, { leavings, writes, doctor }: Afterwards): string[] {
  const { discord, toDiscord } = all.sides;
  const { starts } = all.keeper;
  const interrupted = all.outcomes.filter((outcome) => outcome === 'interrupted');
  return [
    ...brokenToMembers(all),
    ...interrupted.map(() => 'a restart interrupted an order, and one process takes none twice'),
    ...discord.rateLimitHits
      .filter((limited) => !wasUntold(limited, { requests: toDiscord.entries, starts }))
      .map(({ route, scope }) => `Discord's limit was reached: ${route} (${scope})`),
    ...leavings.flatMap(({ about, code }) => [
      ...(about.includes(IDLE) ? [] : [`with nothing left to do, the bot said: ${about}`]),
      ...(code === 0 ? [] : [`the bot did not end well when told to, but with ${code}`]),
    ]),
    ...(writes > 0 ? [`with nothing left to do, the bot wrote to Discord ${writes} times`] : []),
    ...unsound(doctor),
  ];
}

/** The promises of a bot with one process or with many. */
export function brokenToMembers(all: Judged): string[] {
  const { discord, struck } = all.sides;
  const { falls, said } = all.keeper;
  const doubtful = [...struck].filter(([name]) => name.startsWith('gateway: submit'));
  const maxDoubts = doubtful.reduce((sum, [, times]) => sum + times, 0);
  const doubts = unexplainedDoubts(all);
  return [
    ...brokenIn(all),
    ...(all.members.givenUp > 0 ? [`${all.members.givenUp} orders were not taken however often they were given`] : []),
    ...doubles(all.standing),
    ...leaks(all),
    ...(doubts > maxDoubts ? [`${doubts} orders are unconfirmed, and only ${maxDoubts} of them for a reason`] : []),
    ...discord.violations.map((violation) => `Discord would have refused: ${JSON.stringify(violation)}`),
    ...falls.map((code) => `the bot ended by itself, with ${code}`),
    ...said.split('\n').flatMap((line) => (tellsOfPrompt(line) ? [`the log holds what a member typed: ${line}`] : [])),
    ...(said.includes(TOKEN_PREFIX) ? ['the log holds the token of an interaction'] : []),
  ];
}

/**
 * A kill may leave these behind: the list rows of a task are written before the task and are shown only with it, and a list's
 * first row is written before the head that names it.
 */
const LEFT_BY_A_KILL = ['task summaries without a task', 'list rows that belong to no list'];

function unsound([first, then]: Afterwards['doctor']): string[] {
  const isLeftover = (line: string): boolean => LEFT_BY_A_KILL.some((words) => line.includes(words));
  const found = first.said.split('\n').filter((line) => line.includes('repaired') && !isLeftover(line));
  const isMended = first.code === 0 && then.code === 0 && then.said.includes('no problems found');
  return [
    ...found.map((line) => `the store is not sound: ${line.trim()}`),
    ...(isMended ? [] : [`the store cannot be mended: ${first.said} ${then.said}`]),
  ];
}

const tellsOfPrompt = (line: string): boolean => promptIn(line) !== undefined;

/** The prefix of every token of the embedded Discord. */
const TOKEN_PREFIX = Buffer.from('interaction:').toString('base64url');

/** A submit may be in flight this long when the bot is killed. */
const IN_FLIGHT_MS = 5_000;

/** Orders left unconfirmed although their submits were answered well and no kill was near. */
function unexplainedDoubts({ cases, outcomes, keeper }: Judged): number {
  return cases.filter(({ order: { acknowledgedAt = 0 }, submits }, index) => {
    const wasKilled = keeper.kills.some((at) => at >= acknowledgedAt && at - acknowledgedAt < IN_FLIGHT_MS);
    return outcomes[index] === 'unconfirmed' && !wasKilled && submits[0]?.status === 200;
  }).length;
}

function doubles(standing: readonly Standing[]): string[] {
  // A message whose token expired keeps showing its last progress; another message shows the end.
  const ends = standing.filter(({ message }) => !['progress', 'pointed'].includes(sightOf(message)));
  const byTask = Map.groupBy(ends, ({ message }) => taskOf(message));
  return [...byTask].flatMap(([task, messages]) =>
    task !== undefined && messages.length > 1 ? [`task ${task} stands in ${messages.length} messages`] : [],
  );
}

/** A private job may appear in ephemeral replies and in direct messages to its owner. */
function leaks({ cases, standing, sides }: Judged): string[] {
  const { world } = sides.discord;
  const owners = new Map(cases.filter(({ order }) => order.isPrivate).map(({ order }) => [order.prompt, order.userId]));
  const isOwn = (channelId: string, userId: string): boolean => {
    const { type, recipientIds } = world.channel(channelId);
    return type === ChannelType.DM && recipientIds?.[0] === userId;
  };
  const seen = standing.filter(({ message }) => !message.ephemeral);
  const stand = seen.map(({ channelId, message }) => ({ channelId, said: JSON.stringify(message) }));
  // A message that the bot wrote and changed later would no longer be in this state.
  const wrote = sides.toDiscord.entries
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/channels/'))
    .map(({ path, body }) => ({ channelId: path.split('/')[2] ?? '', said: JSON.stringify(body) ?? '' }));
  return [...stand, ...wrote].flatMap(({ channelId, said }) => {
    const prompt = promptIn(said);
    const owner = prompt === undefined ? undefined : owners.get(prompt);
    return owner === undefined || isOwn(channelId, owner) ? [] : [`the private ${prompt} stood in ${channelId}`];
  });
}
