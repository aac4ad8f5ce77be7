import { kindSpecs } from '../../../src/commands/index.ts';
import type { Snapshot } from '../../../src/services/gateway/snapshot.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { createTask, type OrderOf } from '../../../src/services/tasks/transitions.ts';
import { type Parts, withChanges } from '../../support/tasks.ts';

export const start = Date.UTC(2026, 0, 1);
export const minute = 60_000;

export const order: OrderOf<'imagine'> = {
  kind: 'imagine',
  request: { prompt: 'a fox' },
  requesterId: '100000000000000001',
  guildId: '200000000000000001',
  channelId: '300000000000000001',
  route: {
    applicationId: '400000000000000001',
    token: 'token-of-an-interaction',
    tokenExpiresAt: start + 15 * minute,
    isPrivate: false,
    install: 'guild',
    mayPost: true,
    uploadLimit: 10 * 2 ** 20,
    locale: 'en-US',
  },
};

export function buildTask(changes: Parts = {}): Task {
  const { traits } = kindSpecs.imagine;
  const facts = { id: '01k3v9x2mabcdefgh', traits, idempotencyKey: 'a-key', durationKey: 'imagine', now: start };
  return withChanges(createTask(order, facts), changes);
}

export const acceptedSubmit = {
  remoteId: 'remote-1',
  needsInput: false,
  finalPrompt: undefined,
  queuedBehind: undefined,
};

export function buildSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    remoteId: 'remote-1',
    state: 'running',
    word: 'IN_PROGRESS',
    progress: undefined,
    action: undefined,
    media: [],
    preview: undefined,
    tracks: [],
    text: undefined,
    actions: [],
    seed: undefined,
    failure: undefined,
    cost: undefined,
    isEmpty: false,
    submittedAt: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    ...changes,
  };
}
