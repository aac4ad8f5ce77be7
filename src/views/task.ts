import type { Say } from '../locales/index.ts';
import { hasEnded, type Task } from '../services/tasks/task.ts';
import { asText } from './markdown.ts';
import type { ButtonPlan, FilePlan, MessagePlan } from './plan.ts';

/** What a result became on its way to the message. */
export interface Shown {
  files: readonly FilePlan[];
  /** Results that could not be attached, by where they are. */
  links: readonly { address: string; expiresAt?: number | undefined }[];
  /** Where those are of which only a smaller copy could be attached. */
  wholes: readonly string[];
  /** How many are no longer there. */
  gone: number;
  /** How many are not what they should be. */
  odd: number;
}

/** Custom ids are made by those who understand them. */
export interface TaskControls {
  tryAgainId(taskId: string): string;
  dismissId(taskId: string): string;
  deleteId(taskId: string): string;
}

const NOTHING: Shown = { files: [], links: [], wholes: [], gone: 0, odd: 0 };

/** The message of a task, whatever has become of it so far. */
export function taskMessage(task: Task, controls: TaskControls, say: Say, shown: Shown = NOTHING): MessagePlan {
  const lines = [headline(task, say), ...body(task, shown, say)];
  return { content: lines.join('\n'), overflow: 'cut', files: shown.files, controls: buttons(task, controls, say) };
}

/** So much of a prompt is shown; the whole of it stays with the task. */
const LONGEST_PROMPT = 1_000;

function headline({ request, requesterId }: Task, say: Say): string {
  const prompt = typeof request.prompt === 'string' ? asText(request.prompt, LONGEST_PROMPT) : '';
  return say('task.headline', { prompt, owner: `<@${requesterId}>` });
}

function body(task: Task, shown: Shown, say: Say): string[] {
  if (!hasEnded(task)) return underWay(task, say);
  const reason = task.failure?.reason === undefined ? '' : asText(task.failure.reason, LONGEST_PROMPT);
  switch (task.state) {
    case 'ready':
    case 'delivered':
      return result(task, shown, say);
    case 'unconfirmed':
      return [say('task.unconfirmed'), ...(reason === '' ? [] : [say('task.reason', { reason })])];
    case 'cancelled':
      return [task.failure?.cause === 'dismissed' ? say('task.dismissed') : say('task.cancelled')];
    case 'expired':
      return [say('task.expired')];
    default:
      if (task.failure?.cause === 'forgotten') return [say('task.forgotten')];
      return [reason === '' ? say('task.failed') : say('task.failedWith', { reason })];
  }
}

function underWay(task: Task, say: Say): string[] {
  const { state, progress, queuedBehind, times } = task;
  const since = String(Math.floor(times.created / 1000));
  if (times.overdue !== undefined) return [bar(progress), say('task.overdue', { since })];
  if (state === 'needs-input') return [say('task.needsInput')];
  if (state === 'running') return [bar(progress), say('task.running', { since })];
  const ahead =
    queuedBehind === undefined || queuedBehind === 0 ? '' : ` ${say('task.ahead', { count: queuedBehind })}`;
  return [bar(progress), say('task.waiting', { since }) + ahead];
}

const BAR_LETTERS = 12;

function bar(progress = 0): string {
  const full = Math.round((Math.min(100, Math.max(0, progress)) / 100) * BAR_LETTERS);
  return `${'▰'.repeat(full)}${'▱'.repeat(BAR_LETTERS - full)} ${Math.floor(progress)} %`;
}

function result({ times, media }: Task, { links, wholes, gone, odd }: Shown, say: Say): string[] {
  const seconds = Math.max(1, Math.round(((times.ended ?? times.created) - times.created) / 1000));
  return [
    media.length === 0 ? say('task.empty') : say('task.done', { seconds: String(seconds) }),
    ...links.map(({ address, expiresAt }) =>
      expiresAt === undefined
        ? say('task.link', { address })
        : say('task.linkUntil', { address, until: String(Math.floor(expiresAt / 1000)) }),
    ),
    ...wholes.map((address) => say('task.whole', { address })),
    ...(gone > 0 ? [say('task.gone', { count: gone })] : []),
    ...(odd > 0 ? [say('task.odd', { count: odd })] : []),
  ];
}

function buttons(task: Task, controls: TaskControls, say: Say): ButtonPlan[] {
  if (!hasEnded(task)) return [];
  if (task.state === 'unconfirmed') {
    return [
      { type: 'button', id: controls.tryAgainId(task.id), label: say('task.buttons.tryAgain'), look: 'danger' },
      { type: 'button', id: controls.dismissId(task.id), label: say('task.buttons.dismiss') },
    ];
  }
  return [{ type: 'button', id: controls.deleteId(task.id), label: say('task.buttons.delete'), emoji: '🗑️' }];
}
