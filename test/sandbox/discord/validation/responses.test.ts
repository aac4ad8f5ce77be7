import { describe, expect, it } from 'vitest';
import { validateResponse } from '../../../../sandbox/discord/validation/index.ts';

const gateway = {
  url: 'ws://127.0.0.1:8000',
  shards: 1,
  session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
};
const user = {
  id: '100000000000000001',
  username: 'atelier',
  avatar: null,
  discriminator: '0',
  public_flags: 0,
  flags: 0,
  global_name: null,
  primary_guild: null,
};
const message = {
  id: '100000000000000009',
  channel_id: '100000000000000004',
  type: 0,
  content: '',
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  timestamp: '2026-01-01T00:00:00.000Z',
  edited_timestamp: null,
  flags: 0,
  components: [],
  author: user,
  pinned: false,
  mention_everyone: false,
  tts: false,
};
const violationsIn = (kind: Parameters<typeof validateResponse>[0], response: unknown) =>
  validateResponse(kind, response).map(({ path, code }) => [path, code]);

describe("The embedded Discord's own responses", () => {
  it('The validator accepts responses that Discord could send', () => {
    expect(violationsIn('gateway-bot', gateway)).toEqual([]);
    expect(violationsIn('message', message)).toEqual([]);
    expect(violationsIn('message', { ...message, position: 3, extra: true })).toEqual([]);
    expect(violationsIn('channel', { id: '100000000000000004', type: 1, flags: 0, recipients: [user] })).toEqual([]);
    expect(violationsIn('commands', [])).toEqual([]);
  });

  it('The validator reports responses that Discord could not send', () => {
    expect(violationsIn('gateway-bot', { ...gateway, shards: 'one' })).toEqual([['shards', 'NUMBER_TYPE_COERCE']]);
    expect(violationsIn('message', { ...message, id: 9 })).toEqual([['id', 'STRING_TYPE_CONVERT']]);
    expect(violationsIn('message', { ...message, author: { ...user, username: undefined } })).toEqual([
      ['author.username', 'BASE_TYPE_REQUIRED'],
    ]);
    expect(
      violationsIn('message', { ...message, components: [{ type: 1, id: 1, components: [{ type: 99 }] }] }),
    ).toEqual([['components[0].components[0]', 'UNION_TYPE_CHOICES']]);
    expect(violationsIn('channel', { id: '100000000000000004', type: 99 })).toEqual([['', 'UNION_TYPE_CHOICES']]);
  });
});
