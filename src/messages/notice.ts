import { allowanceText, leftText } from '../discord/limit-words.ts';
import { inlineCode } from '../discord/markdown.ts';
import type { MessagePlan } from '../discord/plan.ts';
import { compare } from '../lib/decimals.ts';
import { exactDollars } from '../lib/formats.ts';
import { kindNameIn, type Say } from '../locales/index.ts';
import { periods } from '../services/money/periods.ts';
import { isEvent, isTopic, type Notice, type NoticeTopic } from '../services/store/notice.ts';

export function noticePlan(notice: Notice, say: Say): MessagePlan {
  const { topic, endedAt, count, facts } = notice;
  const isOver = endedAt !== undefined && !isEvent(notice);
  // Notices about starts and unreadable rows already contain their count.
  const containsCount = (topic === 'started' && facts.partition === undefined) || topic === 'unreadable';
  return {
    content: [
      ...(isOver ? [say('notices.resolved', { ended: seconds(endedAt) })] : []),
      ...(facts.isLeft === true && !isOver ? [say('notices.left')] : []),
      ...noticeLines(notice, say),
      ...(count > 1 && !containsCount ? [say('notices.times', { count })] : []),
    ].join('\n'),
  };
}

/** Empty for a topic that only another version knows. */
export const noticeLines = (notice: Notice, say: Say): string[] =>
  isTopic(notice.topic) ? views[notice.topic](notice, say) : [];

const views: Readonly<Record<NoticeTopic, (notice: Notice, say: Say) => string[]>> = {
  gateway: ({ subject, facts, since }, say) => {
    const trouble = subject === 'key' ? 'keyRejected' : 'unusable';
    const variables = { since: seconds(since) };
    return [
      facts.isPartial === true
        ? say(`notices.gatewayOfWorker.${trouble}`, variables)
        : say(`notices.gateway.${trouble}`, variables),
    ];
  },
  lane: ({ subject, facts, since }, say) => [
    say(`notices.lane.${oneOf(['busy', 'refused', 'unreachable'], facts.kind)}`, {
      lane: nameOfLane(subject, say),
      since: seconds(since),
    }),
  ],
  store: ({ facts, since }, say) => [
    say(`notices.store.${oneOf(['failed', 'full', 'locked', 'unreachable'], facts.kind)}`, { since: seconds(since) }),
    ...countLine(facts.unsaved, (count) => say('notices.store.unsaved', { count })),
  ],
  budget: ({ facts }, say) => {
    const { share, resets } = facts;
    const kind = facts.kind === undefined ? undefined : textOf(facts.kind);
    const unit = oneOf(['amount', 'tasks'], facts.unit);
    const limit = { kind, unit, limit: textOf(facts.limit), period: oneOf(periods, facts.period) };
    const budgetVariables = {
      limit: allowanceText(limit, say),
      left: leftText({ unit, left: textOf(facts.left) }, say),
      resets: seconds(resets),
    };
    return [say(share === 100 ? 'notices.budget.reached' : 'notices.budget.nearlyUsedUp', budgetVariables)];
  },
  balance: ({ facts, since }, say) => [
    say(compare(textOf(facts.left), '0') > 0 ? 'notices.balance' : 'notices.overdrawn', {
      left: exactDollars(textOf(facts.left), say),
      perDay: exactDollars(textOf(facts.perDay), say),
      since: seconds(since),
    }),
  ],
  model: ({ facts: { kind, model, isUnlisted, setting }, since }, say) => {
    if (setting !== undefined)
      return [say('notices.model.default', { setting: textOf(setting), model: inlineCode(textOf(model)) })];
    const modelVariables = { kind: kindNameIn(say)(textOf(kind)), since: seconds(since) };
    if (isUnlisted === true) return [say('notices.model.unlisted', modelVariables)];
    if (model === undefined) return [say('notices.model.kind', modelVariables)];
    return [say('notices.model.one', { ...modelVariables, model: inlineCode(textOf(model)) })];
  },
  moderation: ({ since }, say) => [say('notices.moderation', { since: seconds(since) })],
  channel: (_, say) => [say('notices.channel')],
  started: startLines,
  unreadable: ({ count }, say) => [say('notices.unreadable', { count })],
  noCredit: ({ subject }, say) => [say('notices.noCredit', { kind: kindNameIn(say)(subject) })],
};

function startLines({ facts, count, since }: Notice, say: Say): string[] {
  const { partition, previous, awaySince, wasClean, wasRestored } = facts;
  const end = wasRestored === true ? 'restored' : wasClean === true ? 'away' : 'unrecorded';
  const version = textOf(facts.version);
  return [
    partition !== undefined
      ? say('notices.started.partition', { version, partition: textOf(partition) })
      : previous === undefined
        ? say('notices.started.same', { version })
        : say('notices.started.changed', { version, previous: textOf(previous) }),
    ...(count > 1 && partition === undefined ? [say('notices.started.times', { count, since: seconds(since) })] : []),
    ...(awaySince === undefined ? [] : [say(`notices.started.${end}`, { awaySince: seconds(awaySince) })]),
    ...countLine(facts.tasks, (tasks) => say('notices.started.tasks', { count: tasks })),
    ...countLine(facts.unconfirmed, (tasks) => say('notices.started.unconfirmed', { count: tasks })),
  ];
}

const seconds = (timeMs: unknown): number => (typeof timeMs === 'number' ? Math.floor(timeMs / 1000) : 0);

const countLine = (count: unknown, line: (count: number) => string): string[] =>
  typeof count === 'number' && count > 0 ? [line(count)] : [];

/** Falls back to the first name, because another version may have stored an unknown one. */
const oneOf = <Name extends string>(names: readonly [Name, ...Name[]], value: unknown): Name =>
  names.find((name) => name === value) ?? names[0];

const textOf = (fact: Notice['facts'][string] | undefined): string => String(fact ?? '');

/** The commands that a polling lane serves; the name of the lane if this version does not know it. */
export const nameOfLane = (lane: string, say: Say): string => say(`lanes.${lane}`, { defaultValue: lane });
