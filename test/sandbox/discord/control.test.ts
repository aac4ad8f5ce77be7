import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

async function startDiscord() {
  const { discord } = await startFixture();
  const client = await startClient(discord);
  await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
  handleInteractions(client, async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply('hello');
  });
  const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await request(`${discord.url}/_sandbox${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${discord.token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: (await response.body.json()) as Record<string, unknown> };
  };
  return { discord, call };
}

describe('The control API', () => {
  it('The control API accepts only local requests from its own origin with the token', async () => {
    const { call } = await startDiscord();
    expect((await call('/state', undefined, { host: 'evil.example' })).status).toBe(403);
    expect((await call('/state', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await call('/state', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await call('/state')).status).toBe(200);
  });

  it('The control API returns the state and acts as a user', async () => {
    const { call, discord } = await startDiscord();
    const { body } = await call('/state');
    expect(body).toMatchObject({ applicationId: discord.applicationId, gateway: { sessions: 1 } });
    expect(body.commands).toMatchObject([{ name: 'models' }]);
    const slashResponse = await call('/act', { as: 'member', do: 'slash', name: 'models' });
    expect(slashResponse.body).toMatchObject({ acknowledgement: { type: 4, ephemeral: false } });
    const sayRequest = { as: 'other', do: 'say', content: 'hi', files: [{ name: 'a.txt', base64: 'eA==' }] };
    expect((await call('/act', sayRequest)).body).toMatchObject({
      message: { content: 'hi', attachments: [{ size: 1 }] },
    });
    expect((await call('/messages/studio')).body).toMatchObject([{ content: 'hello' }, { content: 'hi' }]);
    expect((await call('/act', { as: 'member', do: 'slash', name: 'nothing' })).status).toBe(400);
    expect((await call('/act', { as: 'member', do: 'dance' })).status).toBe(400);
  });

  it('The control API replies, edits and removes as a user, who can do so only with their own messages', async () => {
    const { call, discord } = await startDiscord();
    const as = 'member';
    const { body } = await call('/act', { as, do: 'say', content: `<@${discord.applicationId}> hello` });
    const { id } = body.message as { id: string };
    const repliesWith = async (ping?: boolean) => {
      const action = { as: 'other', do: 'reply', message: id, content: 'hi', ...(ping !== undefined && { ping }) };
      return (await call('/act', action)).body.message as { mentions: { username: string }[] };
    };
    expect((await repliesWith()).mentions).toMatchObject([{ username: 'member' }]);
    expect(await repliesWith(false)).toMatchObject({ mentions: [], referenced_message: { id } });
    expect((await call('/act', { as: 'other', do: 'edit', message: id, content: 'mine' })).status).toBe(400);
    expect((await call('/act', { as: 'other', do: 'remove', message: id })).status).toBe(400);
    expect((await call('/act', { as, do: 'edit', message: id, content: 'bye' })).body).toMatchObject({
      message: { content: 'bye', mentions: [] },
    });
    expect((await call('/act', { as, do: 'remove', message: id })).status).toBe(200);
    expect((await call('/act', { as, do: 'edit', message: id, content: 'again' })).status).toBe(400);
    expect(discord.messages('studio').map(({ content }) => content)).toEqual(['hi', 'hi']);
  });

  it('The control API streams events', async () => {
    const { discord } = await startDiscord();
    const url = `${discord.url.replace('http', 'ws')}/_sandbox/stream`;
    const rejectedSocket = new WebSocket(url);
    await new Promise((resolve) => rejectedSocket.addEventListener('error', resolve));
    const socket = new WebSocket(`${url}?token=${discord.token}`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const kinds: unknown[] = [];
    socket.addEventListener('message', ({ data }) => kinds.push((JSON.parse(String(data)) as { kind: string }).kind));
    await (await discord.as('member').slash('models')).message();
    await expect.poll(() => kinds).toEqual(['gateway', 'message', 'heard']);
    socket.close();
  });
});
