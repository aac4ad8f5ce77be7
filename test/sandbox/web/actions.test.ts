import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { type PageServer, startPageServer, token } from './page-server.ts';

let server: PageServer;
beforeAll(async () => {
  server = await startPageServer();
});
afterAll(async () => {
  const violations = [...server.stage.discord.violations];
  await server.close();
  // The only violation is the one that a test provokes.
  expect(violations).toMatchObject([{ path: 'content' }]);
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('The world', () => {
  it('The language of a person and of a server can be changed, and no one else’s changes with it', {
    tags: ['breadth'],
  }, async () => {
    const { id: guild = '' } = (await server.world('member')).guilds[0] ?? {};
    await server.post('/api/language', { as: 'member', locale: 'de' });
    await server.post('/api/language', { as: 'member', guild, locale: 'ja' });
    const { me, people, guilds } = await server.world('member');
    expect(me.locale).toBe('de');
    expect(people.filter(({ locale }) => locale !== 'en-US')).toEqual([me]);
    expect(guilds.map(({ locale }) => locale)).toEqual(['ja', 'en-US']);
    const unknown = await server.post<{ error: string }>('/api/language', { as: 'member', locale: 'xx' });
    expect(unknown).toMatchObject({ status: 400, body: { error: 'Discord has no language xx.' } });
    await server.post('/api/language', { as: 'member', locale: 'en-US' });
    await server.post('/api/language', { as: 'member', guild, locale: 'en-US' });
  });

  it('Each person sees only their own part of the world', async () => {
    const member = await server.world('member');
    expect(member.people.map(({ role }) => role)).toEqual(['member', 'other', 'admin', 'owner', 'installer']);
    expect(member.people.every(({ blurb }) => blurb.endsWith('.'))).toBe(true);
    const [atelier] = member.guilds;
    expect(
      atelier?.channels.map(({ name, kind, ageRestricted, maySend }) => [name, kind, ageRestricted, maySend]),
    ).toEqual([
      ['studio', 'text', false, true],
      ['age-restricted', 'text', true, true],
      ['read-only', 'text', false, false],
      ['thread', 'thread', false, true],
      ['voice-room', 'voice', false, true],
      ['no-threads', 'text', false, true],
      ['no-private-threads', 'text', false, true],
      ['no-voice-messages', 'text', false, true],
    ]);
    expect(atelier?.channels.find(({ kind }) => kind === 'thread')?.parentId).toBe(atelier?.channels[0]?.id);
    expect(atelier?.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['imagine', 'models', 'usage']));
    expect(member.direct.map(({ kind, name, commands }) => [kind, name, commands.length > 0])).toEqual([
      ['direct', 'Atelier', true],
    ]);
    expect((await server.world('admin')).guilds[0]?.channels.map(({ name }) => name)).toContain('admin-room');
    const installer = await server.world('installer');
    expect(installer.guilds.map(({ name, installed }) => [name, installed])).toEqual([['uninvited', false]]);
    expect(installer.guilds[0]?.commands.map(({ name }) => name)).toContain('imagine');
    expect((await server.world('other')).guilds.find(({ name }) => name === 'uninvited')?.commands).toEqual([]);
    expect((await server.get<{ error: string }>('/api/world?as=stranger')).body.error).toMatch(
      /no person named stranger/,
    );
    expect((await server.get('/api/world?as=atelier-bot')).status).toBe(400);
  });

  it('The page opens a person’s direct messages', async () => {
    const { body } = await server.post<{ channel: string }>('/api/direct', { as: 'other' });
    expect(body.channel).toBe((await server.world('other')).direct.find(({ kind }) => kind === 'direct')?.id);
    expect((await server.post('/api/direct', {})).status).toBe(400);
  });
});

describe('Actions', () => {
  it('A user can autocomplete an option, send the command and press its buttons, and sees all updates live', async () => {
    const studio = await server.channel('member', 'studio');
    const memberListener = await server.listen('member');
    const otherListener = await server.listen('other');
    const memberInStudio = { as: 'member', in: studio };

    const completion = await server.act({
      ...memberInStudio,
      do: 'complete',
      name: 'models',
      options: { model: 'imgx' },
      focused: 'model',
    });
    if (completion.status === 200) expect(completion.body.choices?.length).toBeGreaterThan(0);

    const { body } = await server.act({
      ...memberInStudio,
      do: 'slash',
      name: 'imagine',
      options: { prompt: 'a fox in the snow' },
    });
    expect(body.acknowledgement).toMatchObject({ type: 5, ephemeral: false });
    const message = await server.waitFor(async () =>
      (await server.messages(studio, 'member')).find((one) => one.attachments.length > 0 && one.components?.length),
    );
    expect(message.interaction_metadata?.user.username).toBe('member');
    await server.waitFor(() =>
      memberListener.events.some((one) => one.is === 'message' && one.message.attachments.length > 0)
        ? true
        : undefined,
    );
    const kinds = new Set(memberListener.events.map(({ is }) => is));
    for (const kind of ['message', 'job', 'exchange'] as const) expect(kinds).toContain(kind);
    expect(otherListener.events.some((one) => one.is === 'message' && one.message.id === message.id)).toBe(true);

    const workbench = await server.workbench();
    const [job] = workbench.gateway.jobs;
    expect(job).toMatchObject({
      kind: 'imagine',
      prompt: 'a fox in the snow',
      state: 'succeeded',
      progress: 100,
      submits: 1,
    });
    expect((job?.polls ?? 0) + (job?.queries ?? 0)).toBeGreaterThan(0);

    const click = await server.act({ ...memberInStudio, do: 'click', message: message.id, button: 'U2' });
    expect(click.status).toBe(200);
    await server.waitFor(async () =>
      (await server.workbench()).gateway.jobs[0]?.kind === 'upscale' ? true : undefined,
    );
    memberListener.close();
    otherListener.close();
  });

  it('Ephemeral messages are hidden from other people', async () => {
    const studio = await server.channel('member', 'studio');
    const otherListener = await server.listen('other');
    const { body } = await server.act({ as: 'member', in: studio, do: 'slash', name: 'usage' });
    expect(body.acknowledgement?.ephemeral).toBe(true);
    const ephemeralMessage = await server.waitFor(async () =>
      (await server.messages(studio, 'member')).find((one) => one.ephemeral && !((one.flags ?? 0) & 128)),
    );
    expect((await server.messages(studio, 'other')).some(({ id }) => id === ephemeralMessage.id)).toBe(false);
    expect(
      otherListener.events.filter((one) => one.is === 'message' && one.message.id === ephemeralMessage.id),
    ).toEqual([]);
    const click = await server.act({
      as: 'other',
      in: studio,
      do: 'click',
      message: ephemeralMessage.id,
      button: 'anything',
    });
    expect(click).toMatchObject({ status: 400, body: { error: 'other cannot see that message.' } });
    otherListener.close();
  });

  it('A reply to an ephemeral message does not show it to other people', async () => {
    const { discord } = server.stage;
    const studio = await server.channel('member', 'studio');
    const listeners = [await server.listen('member'), await server.listen('other')] as const;
    const exchange = await discord.as('member').in(studio).slash('usage');
    const { id } = await exchange.message();
    const response = await fetch(`${discord.apiUrl}/v10/channels/${studio}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'a public reply', message_reference: { message_id: id } }),
    });
    expect(response.status).toBe(200);
    const replySeenBy = ({ events }: (typeof listeners)[number]) =>
      server.waitFor(
        () => events.flatMap((one) => (one.is === 'message' && one.message.content === 'a public reply' ? one : []))[0],
      );
    expect((await replySeenBy(listeners[0])).message).toMatchObject({ referenced_message: { id } });
    expect((await replySeenBy(listeners[1])).message).not.toHaveProperty('referenced_message');
    for (const { close } of listeners) close();
  });

  it('Files can be sent, and pages can display, seek in and download them', async () => {
    const studio = await server.channel('member', 'studio');
    const files = [{ name: 'dot.png', base64: png.toString('base64'), contentType: 'image/png' }];
    const { body } = await server.act({ as: 'member', in: studio, do: 'say', content: 'look', files });
    const [file] = body.message?.attachments ?? [];
    expect(file).toMatchObject({ filename: 'dot.png', width: 1, height: 1, content_type: 'image/png' });
    const fullResponse = await fetch(file?.url ?? '');
    expect(fullResponse.headers.get('access-control-allow-origin')).toBe('*');
    expect(Buffer.from(await fullResponse.arrayBuffer())).toEqual(png);
    const partialResponse = await fetch(file?.url ?? '', { headers: { range: 'bytes=1-3' } });
    expect([partialResponse.status, await partialResponse.text()]).toEqual([206, 'PNG']);
    expect(partialResponse.headers.get('content-range')).toBe(`bytes 1-3/${png.length}`);
    expect((await fetch(file?.url ?? '', { headers: { range: 'bytes=9999-' } })).status).toBe(416);
  });

  it.each([
    [{ as: 'stranger', do: 'say', content: 'x' }, /no person named stranger/],
    [{ as: 'member', do: 'dance' }, /do/],
    [{}, /no person named/],
    [{ as: 'member', do: 'slash', name: 'nothing' }, /No command named nothing/],
    [{ as: 'member', do: 'slash', name: 'imagine' }, /requires the option prompt/],
    [{ as: 'member', do: 'click', message: '1', button: 'U1' }, /no longer exists/],
    [{ as: 'member', in: '1', do: 'say', content: 'x' }, /no channel 1/],
    [{ as: 'member', do: 'fill', interaction: '1' }, /did not open a form/],
    [{ as: 'member', do: 'menu', name: 'x' }, /requires a message or a user/],
    [{ as: 'member', do: 'say', content: 'x', files: [{ name: 'a', base64: '%%%' }] }, /^files.0.base64: [^\n]+\.$/],
    [{ as: 'member', do: 'say', content: ' ' }, /message is empty/],
    [{ as: 'member', do: 'say', content: 'x'.repeat(2_001) }, /at most 2000 characters/],
  ])('The action %j is refused with an explanation', async (action, expectedMessage) => {
    const { status, body } = await server.act(action);
    expect(status).toBe(400);
    expect(body.error).toMatch(expectedMessage);
  });

  it('Actions without permission are refused', { tags: ['breadth'] }, async () => {
    const readOnly = await server.channel('member', 'read-only');
    expect((await server.act({ as: 'member', in: readOnly, do: 'say', content: 'x' })).body.error).toMatch(
      /cannot send messages/,
    );
    const adminRoom = await server.channel('admin', 'admin-room');
    expect((await server.get<{ error: string }>(`/api/messages/${adminRoom}?as=member`)).body.error).toMatch(
      /cannot see that channel/,
    );
    const { body } = await server.act({ as: 'admin', in: adminRoom, do: 'say', content: 'between us' });
    const click = await server.act({ as: 'member', do: 'click', message: body.message?.id, button: 'x' });
    expect(click.body.error).toMatch(/no longer exists/);
    const largeFile = { name: 'large.bin', base64: Buffer.alloc(11 * 1_024 * 1_024).toString('base64') };
    const rejectedResponse = await server.act({ as: 'member', do: 'say', content: 'x', files: [largeFile] });
    expect(rejectedResponse.body.error).toMatch(/large.bin is larger/);
  });

  it('A form that a button opens can be filled in and submitted', async () => {
    const studio = await server.channel('member', 'studio');
    const message = await server.waitFor(async () =>
      (await server.messages(studio, 'member')).find((one) => JSON.stringify(one.components).includes('"Custom Zoom')),
    );
    const label = /"(Custom Zoom[^"]*)"/.exec(JSON.stringify(message.components))?.[1];
    const memberInStudio = { as: 'member', in: studio };
    const click = await server.act({ ...memberInStudio, do: 'click', message: message.id, button: label });
    expect(click.body).toMatchObject({ acknowledgement: { type: 9 }, modal: { title: expect.any(String) } });
    const submission = await server.act({
      ...memberInStudio,
      do: 'fill',
      interaction: click.body.interaction,
      values: {},
    });
    expect(submission.status).toBe(200);
  });
});

describe('The workbench', () => {
  it('The workbench shows the bot’s log and every request with its verdict, but no secrets', async () => {
    const workbench = await server.workbench();
    expect(workbench.bot).toMatchObject({
      state: 'running',
      starts: 1,
      pid: expect.any(Number),
      readyMs: expect.any(Number),
    });
    expect(workbench.bot.log.map((line) => line.text).join('\n')).toContain('Atelier is ready.');
    const sides = new Set(workbench.traffic.map(({ side }) => side));
    expect(sides).toEqual(new Set(['discord', 'gateway', 'callback']));
    const callback = workbench.traffic.find(({ path }) => path.endsWith('/callback'));
    expect(callback).toMatchObject({
      verdict: 'fine',
      path: expect.stringMatching(/^\/interactions\/\d+\/…\/callback$/),
    });
    const json = JSON.stringify(workbench);
    const { discord } = server.stage;
    expect(json).not.toContain(discord.token);
    expect(json).not.toContain(token);
    expect(json).not.toMatch(/sk-sandbox-/);
    for (const { path } of discord.requests) {
      const secret = /^\/(?:webhooks|interactions)\/\d+\/([^/]{20,})/.exec(path)?.[1];
      if (secret) expect(json).not.toContain(secret);
    }
  });

  it('The workbench shows violations of Discord’s schemas', async () => {
    const { discord } = server.stage;
    const studio = await server.channel('member', 'studio');
    await fetch(`${discord.apiUrl}/v10/channels/${studio}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'x'.repeat(2_001) }),
    });
    const { traffic } = await server.workbench();
    // The bot can send other requests in the meantime.
    const invalidRequest = traffic.find(({ request }) => JSON.stringify(request)?.includes('(2001 characters)'));
    expect(invalidRequest).toMatchObject({ side: 'discord', status: 400, verdict: [{ path: 'content' }] });
  });

  it('The text of a message includes everything that a person reads in it', async () => {
    const studio = await server.channel('other', 'studio');
    expect((await server.messages(studio, 'other')).map((one) => text(one)).join('\n')).toContain('a fox in the snow');
  });
});
