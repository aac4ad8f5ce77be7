import type { TaskState } from '../services/tasks/task.ts';

export const stateEmoji: Readonly<Record<TaskState, string>> = {
  waiting: '🕓',
  submitting: '🟡',
  accepted: '🟡',
  queued: '🟡',
  running: '🟡',
  'needs-input': '✏️',
  ready: '📬',
  delivered: '🟢',
  failed: '🔴',
  expired: '🔴',
  cancelled: '⚪',
  unconfirmed: '❓',
};
