import { ChannelType, REST } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { DiscordOptions } from '../../../sandbox/discord/discord.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

/** Creates a client without discord.js, which would hold requests back until they are within the limits. */
async function rawClient(options: DiscordOptions = {}) {
  const { discord, clock } = await startFixture(options);
  const call = async (method: string, path: string, body?: unknown, token: string | null = discord.token) => {
    const response = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers: { ...(token && { authorization: `Bot ${token}` }), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json =
      text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Record<string, unknown>) : { text };
    return { status: response.status, headers: response.headers, json };
  };
  const messages = `/channels/${discord.world.channel('studio').id}/messages`;
  return { discord, clock, call, messages };
}

describe('Rate limits', () => {
  it('A rate limit is reported in headers, and requests beyond it are rejected until its bucket refills', async () => {
    const { call, messages, clock, discord } = await rawClient();
    const first = await call('POST', messages, { content: 'x' });
    const header = (name: string) => first.headers.get(`x-ratelimit-${name}`);
    expect([header('limit'), header('remaining'), header('reset-after')]).toEqual(['5', '4', '5.000']);
    expect(header('reset')).toBe(((clock.now() + 5_000) / 1_000).toFixed(3));
    for (let count = 1; count < 5; count++) expect((await call('POST', messages, { content: 'x' })).status).toBe(200);
    clock.advance(1_000);
    const rejectedResponse = await call('POST', messages, { content: 'x' });
    expect(rejectedResponse.status).toBe(429);
    expect(rejectedResponse.json).toEqual({
      message: 'You are being rate limited.',
      code: 0,
      retry_after: 4,
      global: false,
    });
    expect(rejectedResponse.headers.get('retry-after')).toBe('4');
    expect(rejectedResponse.headers.get('x-ratelimit-scope')).toBe('user');
    expect(rejectedResponse.headers.get('x-ratelimit-global')).toBe(null);
    const { id: after } = discord.requests.at(-2) ?? {};
    expect(discord.rateLimitHits).toEqual([
      { at: clock.now(), route: '/channels/:channel/messages', scope: 'user', after },
    ]);
    clock.advance(4_000);
    expect((await call('POST', messages, { content: 'x' })).status).toBe(200);
  });

  it('Each channel has its own bucket', async () => {
    const { call, messages, discord } = await rawClient({ limits: { messagesPerChannel: 1 } });
    const hallMessages = `/channels/${discord.world.channel('hall').id}/messages`;
    expect((await call('POST', messages, { content: 'x' })).status).toBe(200);
    expect((await call('POST', messages, { content: 'x' })).status).toBe(429);
    expect((await call('POST', hallMessages, { content: 'x' })).status).toBe(200);
  });

  it('Five commands can be created in twenty seconds, globally and in each server', async () => {
    const { call, discord, clock } = await rawClient();
    const { applicationId, world } = discord;
    for (const scope of ['', `/guilds/${world.guild('atelier').id}`]) {
      const route = `/applications/${applicationId}${scope}/commands`;
      const create = async (name: string) => (await call('POST', route, { name, description: 'x' })).status;
      for (const name of ['a', 'b', 'c', 'd', 'e']) expect(await create(name)).toBe(201);
      expect(await create('f')).toBe(429);
      expect((await call('PUT', route, [{ name: 'f', description: 'x' }])).status).toBe(200);
      clock.advance(20_000);
      expect(await create('g')).toBe(201);
    }
  });

  it('The global limit is fifty requests a second and does not apply to interactions', async () => {
    const { call, discord, clock } = await rawClient({ limits: { otherPerRoute: 1_000 } });
    for (let count = 0; count < 50; count++) expect((await call('GET', '/users/@me')).status).toBe(200);
    const rejectedResponse = await call('GET', '/users/@me');
    expect([
      rejectedResponse.status,
      rejectedResponse.json.global,
      rejectedResponse.headers.get('x-ratelimit-global'),
    ]).toEqual([429, true, 'true']);
    expect(discord.rateLimitHits.at(-1)?.scope).toBe('global');
    expect((await call('POST', '/interactions/1/2/callback', { type: 5 }, null)).status).toBe(404);
    clock.advance(1_000);
    expect((await call('GET', '/users/@me')).status).toBe(200);
  });

  it('A rate limit makes discord.js wait and retry', async () => {
    const { discord } = await startFixture();
    const rest = new REST({ api: discord.apiUrl, offset: 0 }).setToken(discord.token);
    discord.faults.add({ do: { type: '429', retryAfter: 0.05 } });
    discord.faults.add({ do: { type: '429', retryAfter: 0.05, scope: 'global' } });
    expect(await rest.get('/users/@me')).toMatchObject({ id: discord.applicationId });
    expect(discord.requests.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(discord.rateLimitHits.map(({ scope }) => scope)).toEqual(['user', 'global']);
  });
});

describe('Invalid requests', () => {
  it('Too many invalid requests block the IP address, but shared 429s do not count', async () => {
    const { call, clock, discord } = await rawClient({ limits: { invalidRequests: 3 } });
    discord.faults.add({ do: { type: '429', retryAfter: 1, scope: 'shared' } });
    await call('GET', '/users/@me');
    for (let count = 0; count < 3; count++)
      expect((await call('GET', '/users/@me', undefined, 'wrong')).status).toBe(401);
    const blockedResponse = await call('GET', '/users/@me');
    expect([blockedResponse.status, blockedResponse.json.text, blockedResponse.headers.get('retry-after')]).toEqual([
      429,
      'error code: 1015',
      '600',
    ]);
    clock.advance(10 * 60 * 1_000);
    expect((await call('GET', '/users/@me')).status).toBe(200);
  });
});

describe('Old messages', () => {
  it('Old messages can be edited three times in twenty seconds', async () => {
    const { call, messages, clock } = await rawClient();
    const { json } = await call('POST', messages, { content: 'x' });
    const edit = () => call('PATCH', `${messages}/${json.id}`, { content: 'y' });
    clock.advance(60 * 60 * 1_000 + 1);
    for (let count = 0; count < 3; count++) expect((await edit()).status).toBe(200);
    const rejectedResponse = await edit();
    expect([rejectedResponse.status, rejectedResponse.json.code, rejectedResponse.json.retry_after]).toEqual([
      429, 30046, 20,
    ]);
    clock.advance(20_000);
    expect((await edit()).status).toBe(200);
  });
});

describe('Names of threads', () => {
  it('A thread can be renamed twice in ten minutes, and changed otherwise meanwhile', async () => {
    const { call, clock, discord } = await rawClient();
    const started = await call('POST', `/channels/${discord.world.channel('studio').id}/threads`, {
      name: 'one',
      type: ChannelType.PublicThread,
    });
    const edit = (body: object) => call('PATCH', `/channels/${started.json.id}`, body);
    for (const name of ['two', 'three']) expect((await edit({ name })).status).toBe(200);
    const rejectedResponse = await edit({ name: 'four' });
    expect([rejectedResponse.status, rejectedResponse.json.retry_after]).toEqual([429, 600]);
    expect(Number(rejectedResponse.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect((await edit({ auto_archive_duration: 1_440 })).json.name).toBe('three');
    clock.advance(10 * 60 * 1_000);
    expect((await edit({ name: 'four' })).json.name).toBe('four');
  });
});

describe('Uploads', () => {
  it('Every route refuses an upload that is too large', async () => {
    const { discord } = await startFixture({ limits: { uploadBytes: 1_000 } });
    const client = await startClient(discord);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    const largeReply = { files: [{ attachment: Buffer.alloc(1_001), name: 'large.bin' }] };
    const codes: unknown[] = [];
    const recordCode = (problem: unknown) => codes.push((problem as { code: unknown }).code);
    handleInteractions(client, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      expect(interaction.attachmentSizeLimit).toBe(1_000);
      await interaction.reply(largeReply).catch(recordCode);
      await interaction.deferReply();
      await interaction.editReply(largeReply).catch(recordCode);
      await interaction.editReply({ files: [{ attachment: Buffer.alloc(1_000), name: 'fits.bin' }] });
    });
    const message = await (await discord.as('member').slash('models')).message();
    expect(message.attachments[0]?.size).toBe(1_000);
    expect(codes).toEqual([40005, 40005]);
    await discord.until(() => discord.requests.every(({ status }) => status > 0) || undefined);
    const received = discord.requests.filter(({ files }) => files.length > 0);
    expect(received.map(({ status, auth, files }) => [status, auth, files[0]?.bytes])).toEqual([
      [413, 'none', 1_001],
      [413, 'none', 1_001],
      [200, 'none', 1_000],
    ]);
    const file = { name: 'large.bin', bytes: Buffer.alloc(1_001) };
    await expect(discord.as('member').slash('models', { image: file })).rejects.toThrow(/no option/);
  });
});

describe('Injected faults', () => {
  it('Injected faults are applied to the selected requests', async () => {
    const { call, discord, messages, clock } = await rawClient();
    discord.faults.add({
      on: { method: 'post', route: '/channels/:channel/messages' },
      do: { type: 'status', status: 502 },
      times: 2,
    });
    expect((await call('GET', '/users/@me')).status).toBe(200);
    for (const status of [502, 502, 200]) expect((await call('POST', messages, { content: 'x' })).status).toBe(status);
    discord.faults.add({ on: { route: /users/ }, do: { type: 'status', status: 403, code: 50001, message: 'No' } });
    expect((await call('GET', '/users/@me')).json).toEqual({ message: 'No', code: 50001 });
    discord.faults.add({ do: { type: 'reset' } });
    await expect(call('POST', messages, { content: 'lost' })).rejects.toThrow();
    discord.faults.add({ do: { type: 'reset', done: true } });
    await expect(call('POST', messages, { content: 'done' })).rejects.toThrow();
    expect(discord.messages('studio').map(({ content }) => content)).toEqual(['x', 'done']);
    discord.faults.add({ do: { type: 'delay', ms: 500 } });
    const delayed = call('GET', '/users/@me');
    let status = 0;
    const arrived = delayed.then((response) => {
      status = response.status;
    });
    // The arrival of the request cannot be observed, so the clock is advanced until there is a response.
    await expect.poll(() => clock.advance(500) ?? status).toBe(200);
    await arrived;
  });
});
