import { ChannelType } from 'discord-api-types/v10';
import { type Aftermath, IDLE_TEXT } from './afterwards.ts';
import type { Evidence, ShownMessage } from './evidence.ts';
import { messageState, taskOf } from './message-state.ts';
import type { Circumstances, Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import { wasUnannounced } from './unannounced.ts';
import { promptIn } from './words.ts';

export interface Assessment extends Evidence {
  readonly outcomes: readonly Outcome[];
}

export function assess(evidence: Evidence, rules: Pick<Circumstances, 'stepMs' | 'repeatsRefused'> = {}): Assessment {
  const { tokensExpiredAt, injectionCounts } = evidence.servers;
  const { kills } = evidence.keeper;
  const circumstances = { kills, tokensExpiredAt, injectionCounts, ...rules };
  return { ...evidence, outcomes: evidence.cases.map((one) => outcomeOf(one, circumstances)) };
}

/** Promises about one request that are broken, or not fulfilled yet. */
export const brokenOutcomes = ({ outcomes }: Pick<Assessment, 'outcomes'>): string[] =>
  outcomes.flatMap((outcome) => (typeof outcome === 'string' ? [] : [outcome.broken]));

/** One sentence for each broken promise. */
export function brokenPromises(assessment: Assessment, { finalStates, writes, doctor }: Aftermath): string[] {
  const { discord, discordLog } = assessment.servers;
  const { starts } = assessment.keeper;
  const interruptedOrders = assessment.outcomes.filter((outcome) => outcome === 'interrupted');
  return [
    ...brokenMemberPromises(assessment),
    ...interruptedOrders.map(
      () => 'an order was interrupted by a restart, although a single process never receives an order again',
    ),
    ...discord.rateLimitHits
      .filter((hit) => !wasUnannounced(hit, { requests: discordLog.entries, starts }))
      .map(({ route, scope }) => `Discord's limit was reached: ${route} (${scope})`),
    ...finalStates.flatMap(({ about, code }) => [
      ...(about.includes(IDLE_TEXT) ? [] : [`with nothing left to do, the bot reported: ${about}`]),
      ...(code === 0 ? [] : [`the bot exited with ${code} when it was told to stop`]),
    ]),
    ...(writes > 0 ? [`with nothing left to do, the bot wrote to Discord ${writes} times`] : []),
    ...storeProblems(doctor),
  ];
}

/** The broken promises that a single process and a cluster have in common. */
export function brokenMemberPromises(assessment: Assessment): string[] {
  const { discord, injectionCounts } = assessment.servers;
  const { unexpectedExits, output } = assessment.keeper;
  const submitFaults = [...injectionCounts].filter(([name]) => name.startsWith('gateway: submit'));
  const maxUnexplained = submitFaults.reduce((sum, [, times]) => sum + times, 0);
  const unexplainedCount = countUnexplained(assessment);
  return [
    ...brokenOutcomes(assessment),
    ...(assessment.members.givenUpCount > 0
      ? [`${assessment.members.givenUpCount} orders were never accepted, however often they were repeated`]
      : []),
    ...duplicateResults(assessment.shownMessages),
    ...repeatedHints(assessment),
    ...leaks(assessment),
    ...(unexplainedCount > maxUnexplained
      ? [
          `${unexplainedCount} orders are unconfirmed without a kill or a failed submit, but at most ${maxUnexplained} can be explained by faults`,
        ]
      : []),
    ...discord.violations.map((violation) => `Discord would have refused: ${JSON.stringify(violation)}`),
    ...unexpectedExits.map((code) => `the bot exited on its own with ${code}`),
    ...output
      .split('\n')
      .flatMap((line) => (containsPrompt(line) ? [`the log contains what a member typed: ${line}`] : [])),
    ...(output.includes(TOKEN_PREFIX) ? ['the log contains the token of an interaction'] : []),
  ];
}

/** A kill may leave these behind: the list rows of a task are written before the task and are shown only with it. */
const ALLOWED_AFTER_KILL: ReadonlySet<string> = new Set(['summary-dangling']);

function storeProblems([first, second]: Aftermath['doctor']): string[] {
  const problems = first.findings.filter(({ kind }) => !ALLOWED_AFTER_KILL.has(kind));
  const isRepaired = second.contents !== undefined && second.findings.length === 0;
  return [
    ...problems.map(({ kind, count }) => `the store has a problem: ${kind} ${count}`),
    ...(isRepaired ? [] : [`the store cannot be repaired: ${JSON.stringify([first, second])}`]),
  ];
}

const containsPrompt = (line: string): boolean => promptIn(line) !== undefined;

/** The prefix of every token of the embedded Discord. */
const TOKEN_PREFIX = Buffer.from('interaction:').toString('base64url');

/** A submit may be in flight this long when the bot is killed. */
const IN_FLIGHT_MS = 5_000;

/** Counts the orders that are unconfirmed although their submits succeeded and the bot was not killed shortly afterwards. */
function countUnexplained({ cases, outcomes, keeper }: Assessment): number {
  return cases.filter(({ order: { acknowledgedAt = 0 }, submits }, index) => {
    const wasKilled = keeper.kills.some((at) => at >= acknowledgedAt && at - acknowledgedAt < IN_FLIGHT_MS);
    return outcomes[index] === 'unconfirmed' && !wasKilled && submits[0]?.status === 200;
  }).length;
}

function duplicateResults(shownMessages: readonly ShownMessage[]): string[] {
  // A message whose token expired keeps showing its last progress; another message shows the end.
  const ends = shownMessages.filter(({ message }) => !['progress', 'hint'].includes(messageState(message)));
  const byTask = Map.groupBy(ends, ({ message }) => taskOf(message));
  return [...byTask].flatMap(([task, messages]) =>
    task !== undefined && messages.length > 1 ? [`task ${task} is shown in ${messages.length} messages`] : [],
  );
}

function repeatedHints({ setupHints, servers }: Assessment): string[] {
  const byServer = Map.groupBy(setupHints, ({ channelId }) => servers.discord.world.channel(channelId).guildId);
  return [...byServer].flatMap(([guildId, { length }]) =>
    length > 1 ? [`the server ${guildId} was told ${length} times that it has not been set up`] : [],
  );
}

/** Lists private jobs that are shown anywhere but in ephemeral replies and in direct messages to their owners. */
function leaks({ cases, shownMessages, servers }: Assessment): string[] {
  const { world } = servers.discord;
  const owners = new Map(cases.filter(({ order }) => order.isPrivate).map(({ order }) => [order.prompt, order.userId]));
  const isOwn = (channelId: string, userId: string): boolean => {
    const { type, recipientIds } = world.channel(channelId);
    return type === ChannelType.DM && recipientIds?.[0] === userId;
  };
  const publicMessages = shownMessages.filter(({ message }) => !message.ephemeral);
  const shownTexts = publicMessages.map(({ channelId, message }) => ({ channelId, json: JSON.stringify(message) }));
  // The bot's requests count too, because a message that it edited later no longer shows its first content.
  const writtenTexts = servers.discordLog.entries
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/channels/'))
    .map(({ path, body }) => ({ channelId: path.split('/')[2] ?? '', json: JSON.stringify(body) ?? '' }));
  return [...shownTexts, ...writtenTexts].flatMap(({ channelId, json }) => {
    const prompt = promptIn(json);
    const owner = prompt === undefined ? undefined : owners.get(prompt);
    return owner === undefined || isOwn(channelId, owner) ? [] : [`the private ${prompt} was posted in ${channelId}`];
  });
}
