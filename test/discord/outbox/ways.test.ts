import { describe, expect, it } from 'vitest';
import {
  endRoutes,
  isInReadableChannel,
  isReachedWithoutToken,
  isVisibleToOwnerOnly,
  partRoutes,
  progressRoute,
  TOKEN_MARGIN_MS,
  tokenRoute,
} from '../../../src/discord/outbox/ways.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { buildTask, minute, order, start } from '../../services/orders/builders.ts';
import type { Parts } from '../../support/tasks.ts';

const message = { channelId: '300000000000000001', id: '7' };
const none = new Set<never>();

/** A task with a message in a server where the bot may post, unless these parts say otherwise. */
const makeTask = ({ route, ...changes }: Omit<Parts, 'route'> & { route?: Partial<Task['route']> } = {}): Task =>
  buildTask({ message, ...changes, route: { ...order.route, ...route } });
const waysOf = (task: Task, now = start): string[] => endRoutes(task, none, now).map(({ by }) => by);

describe('The routes for the end of a task', () => {
  it('The token comes first, then the message, its channel, and a direct message', () => {
    expect(endRoutes(makeTask(), none, start)).toEqual([
      { by: 'token', applicationId: order.route.applicationId, token: order.route.token },
      { by: 'edit', message },
      { by: 'channel', channelId: order.channelId },
      { by: 'direct', memberId: order.requesterId },
    ]);
  });

  it.each([
    ['that has no message yet', makeTask({ message: undefined }), ['token', 'channel', 'direct']],
    ['that is private', makeTask({ route: { isPrivate: true } }), ['token', 'direct']],
    ['where the bot may not post', makeTask({ route: { mayPost: false } }), ['token', 'edit', 'direct']],
    ['in a server without the bot', makeTask({ route: { install: 'user', mayPost: false } }), ['token', 'direct']],
    [
      'in a direct message with the bot',
      makeTask({ route: { install: 'user' }, guildId: undefined }),
      ['token', 'edit', 'channel', 'direct'],
    ],
    [
      'in a direct message with another member',
      makeTask({ route: { install: 'user', mayPost: false }, guildId: undefined }),
      ['token', 'direct'],
    ],
    ['without a channel', makeTask({ channelId: undefined }), ['token', 'edit', 'direct']],
  ])('The routes of a task %s', (_name, task, expected) => {
    expect(waysOf(task)).toEqual(expected);
  });

  it('The token is not among the routes once it has expired', () => {
    expect(waysOf(makeTask(), start + 15 * minute)).toEqual(['edit', 'channel', 'direct']);
  });

  it('Closed routes are left out', () => {
    expect(endRoutes(makeTask(), new Set(['token', 'channel'] as const), start).map(({ by }) => by)).toEqual([
      'edit',
      'direct',
    ]);
  });

  it('The end of a conversation is shown only where it took place', () => {
    const talk = { kind: 'talk' as const, request: { model: 'a-voice', who: 'me' } };
    expect(waysOf(makeTask(talk))).toEqual(['token', 'edit', 'channel']);
    expect(waysOf(makeTask({ ...talk, message: undefined }))).toEqual([]);
  });
});

describe('The token of an interaction', () => {
  it('The token is used until a minute before it expires, for the follow-up that shows the task', () => {
    const last = order.route.tokenExpiresAt - TOKEN_MARGIN_MS;
    expect(TOKEN_MARGIN_MS).toBe(minute);
    expect(tokenRoute(makeTask(), last - 1)).not.toHaveProperty('followUpId');
    expect(tokenRoute(makeTask({ route: { followUpId: '9' } }), last - 1)).toMatchObject({ followUpId: '9' });
    expect(tokenRoute(makeTask(), last)).toBeUndefined();
  });
});

describe('The route for progress', () => {
  it('Progress is an edit by token, then by the bot where it may post, and never a new message', () => {
    const late = start + 15 * minute;
    expect(progressRoute(makeTask(), none, start)?.by).toBe('token');
    expect(progressRoute(makeTask(), none, late)?.by).toBe('edit');
    expect(progressRoute(makeTask(), new Set(['token'] as const), start)?.by).toBe('edit');
    expect(progressRoute(makeTask(), new Set(['token', 'edit'] as const), start)).toBeUndefined();
    expect(progressRoute(makeTask({ route: { mayPost: false } }), none, late)).toBeUndefined();
    expect(progressRoute(makeTask({ message: undefined }), none, late)).toBeUndefined();
  });
});

describe('The routes of a further message of an answer', () => {
  it('A token reaches only what was posted with it, and the bot only what it may edit', () => {
    const token = { by: 'token', applicationId: order.route.applicationId, token: order.route.token, followUpId: '8' };
    const part = { channelId: message.channelId, id: '8' };
    const edit = { by: 'edit', message: part };
    expect(partRoutes(makeTask(), part, start)).toEqual([token, edit]);
    expect(partRoutes(makeTask(), { ...part, by: 'bot' }, start)).toEqual([edit]);
    expect(partRoutes(makeTask({ route: { isPrivate: true } }), part, start)).toEqual([token]);
    expect(partRoutes(makeTask(), part, start + 15 * minute)).toEqual([edit]);
  });
});

describe('Who can see a message', () => {
  it('Only the owner sees a private reply in the channel of its server', () => {
    const secret = { isPrivate: true };
    expect(isVisibleToOwnerOnly(makeTask({ route: secret }), message)).toBe(true);
    expect(isVisibleToOwnerOnly(makeTask(), message)).toBe(false);
    expect(isVisibleToOwnerOnly(makeTask({ route: secret, guildId: undefined }), message)).toBe(false);
    expect(isVisibleToOwnerOnly(makeTask({ route: secret }), { ...message, channelId: '4' })).toBe(false);
    const inGroup = makeTask({ route: { ...secret, mayPost: false }, guildId: undefined });
    expect(isVisibleToOwnerOnly(inGroup, message)).toBe(true);
  });

  it('The bot reaches a message without a token where it may post and edit', () => {
    expect(isReachedWithoutToken(makeTask())).toBe(true);
    expect(isReachedWithoutToken(makeTask({ route: { mayPost: false } }))).toBe(false);
    expect(isReachedWithoutToken(makeTask({ message: undefined }))).toBe(false);
  });

  it.each([
    ['a server with the bot', makeTask({ route: { mayPost: false } }), true],
    ['a private reply', makeTask({ route: { isPrivate: true } }), false],
    ['an unknown channel', makeTask({ channelId: undefined }), false],
    ['a server without the bot', makeTask({ route: { install: 'user' } }), false],
    ['its own direct messages', makeTask({ route: { install: 'user' }, guildId: undefined }), true],
    ['those of others', makeTask({ route: { install: 'user', mayPost: false }, guildId: undefined }), false],
  ])('The bot can search %s', (_name, task, expected) => {
    expect(isInReadableChannel(task)).toBe(expected);
  });
});
