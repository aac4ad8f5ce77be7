import { expect, it } from 'vitest';
import { erasurePage } from '../../../src/commands/tasks/own-data.ts';
import { say } from '../../../src/locales/index.ts';

const outcome = { tasks: 2, messages: 1, running: 0, stays: 1 };

it('The outcome of an erasure names moderators only for messages on a server', () => {
  const [direct, server] = [undefined, '7'].map((guildId) => {
    const left = [{ id: '1', channelId: '2', ...(guildId !== undefined && { guildId }) }];
    return erasurePage({ ...outcome, left }, say).content;
  });
  expect(direct).toContain('otherwise it stays');
  expect(direct).not.toContain('moderators');
  expect(server).toContain('on a server, moderators can delete it:');
});
