import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { openPageServer, type PageServer, token } from './page-server.ts';

let at: PageServer;
beforeAll(async () => {
  at = await openPageServer();
});
afterAll(async () => {
  const violations = [...at.stage.discord.violations];
  await at.close();
  // Only the violation that a test provokes.
  expect(violations).toMatchObject([{ path: 'content' }]);
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('The world', () => {
  it('Each person sees only their own part of the world', async () => {
    const member = await at.world('member');
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
    expect((await at.world('admin')).guilds[0]?.channels.map(({ name }) => name)).toContain('admin-room');
    const installer = await at.world('installer');
    expect(installer.guilds.map(({ name, installed }) => [name, installed])).toEqual([['uninvited', false]]);
    expect(installer.guilds[0]?.commands.map(({ name }) => name)).toContain('imagine');
    expect((await at.world('other')).guilds.find(({ name }) => name === 'uninvited')?.commands).toEqual([]);
    expect((await at.get<{ error: string }>('/api/world?as=stranger')).body.error).toMatch(/no person named stranger/);
    expect((await at.get('/api/world?as=atelier-bot')).status).toBe(400);
  });

  it('The page opens a person’s direct messages', async () => {
    const { body } = await at.post<{ channel: string }>('/api/direct', { as: 'other' });
    expect(body.channel).toBe((await at.world('other')).direct.find(({ kind }) => kind === 'direct')?.id);
    expect((await at.post('/api/direct', {})).status).toBe(400);
  });
});

describe('Actions', () => {
  it('A user completes and sends a command, presses its buttons and sees everything live', async () => {
    const studio = await at.channel('member', 'studio');
    const mine = await at.listen('member');
    const theirs = await at.listen('other');
    const who = { as: 'member', in: studio };

    const completed = await at.act({
      ...who,
      do: 'complete',
      name: 'models',
      options: { model: 'imgx' },
      focused: 'model',
    });
    if (completed.status === 200) expect(completed.body.choices?.length).toBeGreaterThan(0);

    const { body } = await at.act({ ...who, do: 'slash', name: 'imagine', options: { prompt: 'a fox in the snow' } });
    expect(body.acknowledgement).toMatchObject({ type: 5, ephemeral: false });
    const message = await at.until(async () =>
      (await at.messages(studio, 'member')).find((one) => one.attachments.length > 0 && one.components?.length),
    );
    expect(message.interaction_metadata?.user.username).toBe('member');
    await at.until(() =>
      mine.events.some((one) => one.is === 'message' && one.message.attachments.length > 0) ? true : undefined,
    );
    const kinds = new Set(mine.events.map(({ is }) => is));
    for (const kind of ['message', 'job', 'exchange'] as const) expect(kinds).toContain(kind);
    expect(theirs.events.some((one) => one.is === 'message' && one.message.id === message.id)).toBe(true);

    const bench = await at.workbench();
    const [job] = bench.gateway.jobs;
    expect(job).toMatchObject({
      kind: 'imagine',
      prompt: 'a fox in the snow',
      state: 'succeeded',
      progress: 100,
      submits: 1,
    });
    expect((job?.polls ?? 0) + (job?.queries ?? 0)).toBeGreaterThan(0);

    const pressed = await at.act({ ...who, do: 'click', message: message.id, button: 'U2' });
    expect(pressed.status).toBe(200);
    await at.until(async () => ((await at.workbench()).gateway.jobs[0]?.kind === 'upscale' ? true : undefined));
    mine.close();
    theirs.close();
  });

  it('Ephemeral messages are hidden from other people', async () => {
    const studio = await at.channel('member', 'studio');
    const theirs = await at.listen('other');
    const { body } = await at.act({ as: 'member', in: studio, do: 'slash', name: 'usage' });
    expect(body.acknowledgement?.ephemeral).toBe(true);
    const mine = await at.until(async () =>
      (await at.messages(studio, 'member')).find((one) => one.ephemeral && !((one.flags ?? 0) & 128)),
    );
    expect((await at.messages(studio, 'other')).some(({ id }) => id === mine.id)).toBe(false);
    expect(theirs.events.filter((one) => one.is === 'message' && one.message.id === mine.id)).toEqual([]);
    const stolen = await at.act({ as: 'other', in: studio, do: 'click', message: mine.id, button: 'anything' });
    expect(stolen).toMatchObject({ status: 400, body: { error: 'other cannot see that message.' } });
    theirs.close();
  });

  it('Files are sent, and pages can show, seek and save them', async () => {
    const studio = await at.channel('member', 'studio');
    const files = [{ name: 'dot.png', base64: png.toString('base64'), contentType: 'image/png' }];
    const { body } = await at.act({ as: 'member', in: studio, do: 'say', content: 'look', files });
    const [file] = body.message?.attachments ?? [];
    expect(file).toMatchObject({ filename: 'dot.png', width: 1, height: 1, content_type: 'image/png' });
    const whole = await fetch(file?.url ?? '');
    expect(whole.headers.get('access-control-allow-origin')).toBe('*');
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(png);
    const part = await fetch(file?.url ?? '', { headers: { range: 'bytes=1-3' } });
    expect([part.status, await part.text()]).toEqual([206, 'PNG']);
    expect(part.headers.get('content-range')).toBe(`bytes 1-3/${png.length}`);
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
  ])('The action %j is refused with an explanation', async (order, sentence) => {
    const { status, body } = await at.act(order);
    expect(status).toBe(400);
    expect(body.error).toMatch(sentence);
  });

  it('Actions without permission are refused', async () => {
    const readOnly = await at.channel('member', 'read-only');
    expect((await at.act({ as: 'member', in: readOnly, do: 'say', content: 'x' })).body.error).toMatch(
      /cannot send messages/,
    );
    const adminRoom = await at.channel('admin', 'admin-room');
    expect((await at.get<{ error: string }>(`/api/messages/${adminRoom}?as=member`)).body.error).toMatch(
      /cannot see that channel/,
    );
    const { body } = await at.act({ as: 'admin', in: adminRoom, do: 'say', content: 'between us' });
    const pressed = await at.act({ as: 'member', do: 'click', message: body.message?.id, button: 'x' });
    expect(pressed.body.error).toMatch(/no longer exists/);
    const large = { name: 'large.bin', base64: Buffer.alloc(11 * 1_024 * 1_024).toString('base64') };
    const refused = await at.act({ as: 'member', do: 'say', content: 'x', files: [large] });
    expect(refused.body.error).toMatch(/large.bin is larger/);
  });

  it('A form that a button opened can be filled in', async () => {
    const studio = await at.channel('member', 'studio');
    const message = await at.until(async () =>
      (await at.messages(studio, 'member')).find((one) => JSON.stringify(one.components).includes('"Custom Zoom')),
    );
    const label = /"(Custom Zoom[^"]*)"/.exec(JSON.stringify(message.components))?.[1];
    const who = { as: 'member', in: studio };
    const opened = await at.act({ ...who, do: 'click', message: message.id, button: label });
    expect(opened.body).toMatchObject({ acknowledgement: { type: 9 }, modal: { title: expect.any(String) } });
    const filled = await at.act({ ...who, do: 'fill', interaction: opened.body.interaction, values: {} });
    expect(filled.status).toBe(200);
  });
});

describe('The workbench', () => {
  it('The workbench shows the bot’s log and every request with its verdict, but no secrets', async () => {
    const bench = await at.workbench();
    expect(bench.bot).toMatchObject({
      state: 'running',
      starts: 1,
      pid: expect.any(Number),
      readyMs: expect.any(Number),
    });
    expect(bench.bot.log.map((line) => line.text).join('\n')).toContain('Atelier is ready.');
    const sides = new Set(bench.traffic.map(({ side }) => side));
    expect(sides).toEqual(new Set(['discord', 'gateway', 'callback']));
    const callback = bench.traffic.find(({ path }) => path.endsWith('/callback'));
    expect(callback).toMatchObject({
      verdict: 'fine',
      path: expect.stringMatching(/^\/interactions\/\d+\/…\/callback$/),
    });
    const whole = JSON.stringify(bench);
    const { discord } = at.stage;
    expect(whole).not.toContain(discord.token);
    expect(whole).not.toContain(token);
    expect(whole).not.toMatch(/sk-sandbox-/);
    for (const { path } of discord.requests) {
      const secret = /^\/(?:webhooks|interactions)\/\d+\/([^/]{20,})/.exec(path)?.[1];
      if (secret) expect(whole).not.toContain(secret);
    }
  });

  it('The workbench shows violations of Discord’s schemas', async () => {
    const { discord } = at.stage;
    const studio = await at.channel('member', 'studio');
    await fetch(`${discord.apiUrl}/v10/channels/${studio}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'x'.repeat(2_001) }),
    });
    const { traffic } = await at.workbench();
    // The bot can send other requests in the meantime.
    const sent = traffic.find(({ request }) => JSON.stringify(request)?.includes('(2001 characters)'));
    expect(sent).toMatchObject({ side: 'discord', status: 400, verdict: [{ path: 'content' }] });
  });

  it('The text of a message includes what a person reads', async () => {
    const studio = await at.channel('other', 'studio');
    expect((await at.messages(studio, 'other')).map((one) => text(one)).join('\n')).toContain('a fox in the snow');
  });
});
