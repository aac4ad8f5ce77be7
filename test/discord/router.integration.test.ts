import { ApplicationCommandType, Routes } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, startDiscord, text } from '../../sandbox/discord/discord.ts';
import { customId, verb } from '../../src/discord/custom-ids.ts';
import { Funnel } from '../../src/discord/funnel.ts';
import { definersFor, type EarlyContext, type Handlers } from '../../src/discord/handlers.ts';
import type { Interaction } from '../../src/discord/interaction-facts.ts';
import { createDiscordClients } from '../../src/discord/outbox/clients.ts';
import { Outbox } from '../../src/discord/outbox/outbox.ts';
import { type Acknowledgement, Responder } from '../../src/discord/outbox/responder.ts';
import type { ButtonPlan, FormPlan } from '../../src/discord/plan.ts';
import { RateLimiter } from '../../src/discord/rates.ts';
import { Router, type RouterParts } from '../../src/discord/router.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { say } from '../../src/locales/index.ts';

const { command, on } = definersFor<EarlyContext['services']>();

const buttonPlan = (id: string, label: string): ButtonPlan => ({ type: 'button', id, label });

const anyArguments = { write: (args: readonly string[]) => args, read: (args: readonly string[]) => args };
const push = verb('push', anyArguments);
const pick = verb('pick', anyArguments);
const open = verb('open', anyArguments);
const fill = verb('fill', anyArguments);
const remix = verb('remix', anyArguments);
const publish = verb('publish', anyArguments);

const openForm = async ([what = '']: readonly string[]): Promise<FormPlan> => ({
  id: fill.id([what]),
  title: 'Words',
  fields: [{ type: 'text', name: 'words', label: 'Your words', value: what, required: true, isLong: true }],
});

/** Handlers of every kind, which echo their input. */
const handlers: Handlers<EarlyContext['services']> = {
  commands: [
    command({
      name: 'show',
      isPrivate: false,
      options: { what: { type: 'text', required: true }, private: { type: 'switch' } },
      run: async ({ what }) => ({
        content: `here: ${what}`,
        controls: [
          buttonPlan(customId('push', 1, what), 'Press'),
          buttonPlan(customId('open', 1, what), 'Open'),
          buttonPlan(customId('remix', 1, what), 'Remix'),
          buttonPlan(customId('publish', 1, what), 'Publish'),
          buttonPlan(customId('push', 9), 'Never'),
          {
            type: 'select',
            id: customId('pick', 1),
            placeholder: 'Pick',
            options: [
              { value: 'a', label: 'A' },
              { value: 'b', label: 'B' },
            ],
          },
        ].slice(0, what === 'many' ? 0 : 6) as ButtonPlan[],
      }),
    }),
    command({
      name: 'late',
      isPrivate: true,
      options: {},
      parse: (values, { permissions }) => (permissions === 0n ? new Refusal('refusals.guildNotServed') : values),
      run: async () => {
        throw new Refusal('refusals.stopping');
      },
    }),
    command({
      name: 'throws',
      isPrivate: true,
      options: {},
      run: async () => {
        throw new TypeError('a bug');
      },
    }),
    command({
      name: 'many',
      isPrivate: true,
      options: {},
      run: async () => ({
        content: 'many',
        controls: Array.from({ length: 26 }, (_, index) => buttonPlan(customId('push', 1), `B${index}`)).map(
          (one, index) => buttonPlan(customId('push', 1, `n${index}`), one.label),
        ),
      }),
    }),
  ],
  menus: [
    {
      name: 'describe',
      isPrivate: true,
      run: async ({ id }) => ({ content: `described ${id}` }),
    },
  ],
  handlers: [
    on(push, { reply: 'here', run: async (args) => ({ content: `pressed ${args.join()}` }) }),
    on(pick, {
      reply: 'here',
      run: async (_, __, { selectedValues }) => ({ content: `picked ${selectedValues.join()}` }),
    }),
    on(open, { open: openForm }),
    on(remix, {
      reply: 'new-message',
      remix: { byDefault: false, open: openForm },
      run: async (args) => ({ content: `pressed ${args.join()}` }),
    }),
    on(publish, {
      reply: 'new-public',
      likeCommand: () => 'show',
      run: async (args) => ({ content: `pressed ${args.join()}` }),
    }),
    on(fill, {
      reply: 'new-message',
      parse: ({ fields: { words = '' } }) => (words === 'nothing' ? new Refusal('refusals.promptMissing') : words),
      run: async (args, _, words) => ({ content: `filled ${args.join()} with ${words}` }),
    }),
  ],
};

const callback = { method: 'POST', route: /callback/ };

const describeMenu = say('menus.describe');

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Earlier {
  /** What another process does with each interaction before the router gets it. */
  does: Acknowledgement | 'refuses';
  /** What that process has told the router, if anything. */
  says?: Acknowledgement;
}

type Rules = Pick<RouterParts<EarlyContext['services']>, 'guards' | 'loadRules' | 'loadSettings' | 'defaults'>;

async function startRouter(
  earlier?: Earlier,
  rules: Rules = { guards: [] },
): Promise<{ discord: EmbeddedDiscord; logged(): string }> {
  const discord = await startDiscord();
  closers.push(() => discord.close());
  const clients = createDiscordClients(discord.apiUrl);
  const { connection, rest } = clients;
  closers.push(() => clients.close());
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    secrets: [discord.token],
    isPretty: false,
    write: (line) => lines.push(line),
  });
  const funnel = new Funnel(log);
  const outbox = new Outbox(clients, log);
  const router = new Router({
    ...rules,
    handlers,
    rateLimiter: new RateLimiter({}, systemClock, log),
    services: { settings: { discord: { adminGuildIds: [] } } },
    funnel,
    outbox,
    clock: systemClock,
  });
  const respondEarlier = async (interaction: Interaction): Promise<void> => {
    const responder = new Responder(outbox, interaction);
    if (earlier?.does === 'refuses') await responder.replyPrivately({ content: 'Refused elsewhere.' });
    else if (earlier) await responder.acknowledge(earlier.does);
  };
  const toRouter = earlier?.says && { acknowledgement: earlier.says, isCertain: false };
  connection.onInteraction(
    (interaction) => void respondEarlier(interaction).then(() => router.route(interaction, toRouter)),
  );
  await connection.open(discord.token);
  await rest.put(Routes.applicationCommands(discord.applicationId), {
    body: [
      { name: 'show', description: 'x', options: [{ type: 3, name: 'what', description: 'x', required: true }] },
      ...['late', 'throws', 'many', 'gone'].map((name) => ({ name, description: 'x' })),
      ...[describeMenu, 'What is this?'].map((name) => ({ name, type: ApplicationCommandType.Message })),
    ],
  });
  return { discord, logged: () => lines.join('') };
}

describe('The interaction router', () => {
  it('The router passes commands, presses, choices and message menus to their handlers', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    expect(text(shown)).toContain('here: boat');
    const pressed = await member.click(shown, 'Press');
    expect(text(await pressed.message((message) => text(message).includes('pressed')))).toContain('pressed boat');
    const second = await (await member.slash('show', { what: 'cat' })).message();
    const picked = await member.choose(second, 'Pick', ['b']);
    expect(text(await picked.message((message) => text(message).includes('picked')))).toContain('picked b');
    const described = await (await member.menu(describeMenu, second)).message();
    expect(text(described)).toContain(`described ${second.id}`);
    expect(discord.violations).toEqual([]);
  });

  it('The router answers an interaction that another process has acknowledged, and refuses it privately if other members would see the reply', async () => {
    const publicRouter = await startRouter({ does: 'public answer', says: 'public answer' });
    const answer = await publicRouter.discord.as('member').slash('show', { what: 'boat' });
    expect(text(await answer.message())).toContain('here: boat');
    // Discord may also say that it no longer knows an interaction whose three seconds are over.
    const { faults } = publicRouter.discord;
    faults.add({ on: callback, do: { type: 'delay', ms: 0 } });
    faults.add({ on: callback, do: { type: 'status', status: 404, code: 10_062 } });
    const lateAnswer = await publicRouter.discord.as('member').slash('show', { what: 'ship' });
    expect(text(await lateAnswer.message())).toContain('here: ship');
    const privateRouter = await startRouter({ does: 'private answer', says: 'private answer' });
    const refused = await (await privateRouter.discord.as('member').slash('show', { what: 'boat' })).message();
    expect(text(refused)).toContain('A restart interrupted this.');
    expect(refused.ephemeral).toBe(true);
    const ephemeralReply = await (await publicRouter.discord.as('member').slash('throws')).ephemeral();
    expect(text(ephemeralReply)).toContain('A restart interrupted this.');
  });

  it('The router acknowledges before it reads the rules of a server from another partition, and then applies them', async () => {
    const known = { isAllowed: true, isPrivate: false };
    const stored = { ...known };
    let loading = Promise.withResolvers<void>();
    const { discord } = await startRouter(undefined, {
      guards: [() => (known.isAllowed ? undefined : new Refusal('refusals.rules.personalInstall'))],
      defaults: { isPrivate: () => known.isPrivate, remixes: () => undefined },
      async loadRules() {
        await loading.promise;
        Object.assign(known, stored);
        return true;
      },
    });
    const show = async () => {
      loading = Promise.withResolvers();
      const exchange = await discord.as('member').slash('show', { what: 'boat' });
      await exchange.acknowledged();
      loading.resolve();
      return exchange;
    };
    expect(text(await (await show()).message())).toContain('here: boat');
    Object.assign(stored, { isPrivate: true });
    expect(text(await (await show()).ephemeral())).toContain('private here or by your settings');
    const shown = await (await show()).message();
    expect([text(shown).includes('here: boat'), shown.ephemeral]).toEqual([true, true]);
    Object.assign(stored, { isAllowed: false });
    expect(text(await (await show()).message())).toContain('not allowed here');
  });

  it('The router acknowledges before it reads settings from another partition, which make a reply private from then on', async () => {
    let isPrivate = false;
    const loading = Promise.withResolvers<void>();
    const { discord } = await startRouter(undefined, {
      guards: [],
      defaults: { isPrivate: () => isPrivate, remixes: () => undefined },
      async loadSettings() {
        await loading.promise;
        isPrivate = true;
      },
    });
    const exchange = await discord.as('member').slash('show', { what: 'boat' });
    await exchange.acknowledged();
    loading.resolve();
    expect(text(await exchange.ephemeral())).toContain('private here or by your settings');
    const shown = await (await discord.as('member').slash('show', { what: 'boat' })).message();
    expect([text(shown).includes('here: boat'), shown.ephemeral]).toEqual([true, true]);
  });

  it('A button whose settings want a form opens it as the first response, and is refused if that was found out after the acknowledgement', async () => {
    const known: { remixes: boolean | undefined } = { remixes: undefined };
    const stored = { ...known };
    const { discord } = await startRouter(undefined, {
      guards: [],
      defaults: { isPrivate: () => false, remixes: () => known.remixes },
      loadSettings: async () => void Object.assign(known, stored),
    });
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    expect(text(await (await member.click(shown, 'Remix')).message())).toBe('pressed boat');
    stored.remixes = true;
    expect(text(await (await member.click(shown, 'Remix')).ephemeral())).toContain('Press the button again');
    const form = await (await member.click(shown, 'Remix')).modal();
    expect(text(await (await member.fill(form, { words: 'a red boat' })).message())).toContain('filled boat');
    expect(discord.violations).toEqual([]);
  });

  it('The reply to a button can be as private as the replies of a command, also if that was found out after the acknowledgement', async () => {
    const known = { isPrivate: false };
    const stored = { ...known };
    const { discord } = await startRouter(undefined, {
      guards: [],
      defaults: { isPrivate: (_, name) => name === 'show' && known.isPrivate, remixes: () => undefined },
      loadSettings: async () => void Object.assign(known, stored),
    });
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    const press = async () => member.click(shown, 'Publish');
    expect((await (await press()).message()).ephemeral).toBe(false);
    stored.isPrivate = true;
    expect(text(await (await press()).ephemeral())).toContain('private here or by your settings');
    expect((await (await press()).message()).ephemeral).toBe(true);
  });

  it('The router does not run an interaction that another process has refused, even if its own acknowledgement is uncertain', async () => {
    for (const says of ['public answer', undefined] as const) {
      const { discord, logged } = await startRouter({ does: 'refuses', ...(says && { says }) });
      discord.faults.add({ on: callback, do: { type: 'delay', ms: 0 } });
      // The library would take the refusal for its own response, whose confirmation was lost.
      discord.faults.add({ on: callback, do: { type: 'status', status: 503 } });
      const exchange = await discord.as('member').slash('show', { what: 'boat' });
      await expect.poll(logged).toContain('no longer accepts');
      expect(text(await exchange.message())).toBe('Refused elsewhere.');
    }
  });

  it('The router opens a form as the first response and passes the entered values to the handler', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    const form = await (await member.click(shown, 'Open')).modal();
    const filled = await member.fill(form, { words: 'a red boat' });
    expect(text(await filled.message())).toContain('filled boat with a red boat');
    expect(discord.violations).toEqual([]);
  });

  it('The router refuses an invalid form ephemerally and without a public acknowledgement', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    const form = await (await member.click(shown, 'Open')).modal();
    const refused = await (await member.fill(form, { words: 'nothing' })).message();
    expect(refused.ephemeral).toBe(true);
    expect(text(refused)).toBe(`-# Your request: nothing\n${say('refusals.promptMissing')}`);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([shown]);
    expect(discord.violations).toEqual([]);
  });

  it('A button chosen from the overflow menu is handled like a press of that button', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const many = await (await member.slash('many')).message();
    const pressed = await member.choose(many, '…', [customId('push', 1, 'n7')]);
    expect(text(await pressed.message((message) => text(message).includes('pressed')))).toContain('pressed n7');
  });

  it('The router responds to a button from another version and to an unknown command with an explanation', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const shown = await (await member.slash('show', { what: 'boat' })).message();
    const outdated = await member.click(shown, 'Never');
    const reply = await outdated.message((message) => text(message).length > 0 && message.id !== shown.id);
    expect(text(reply)).toMatch(/another version|no longer works/);
    expect(reply.ephemeral).toBe(true);
    const unknownReply = await (await member.slash('gone')).message();
    expect(text(unknownReply)).toContain('no longer exists');
    expect(unknownReply.ephemeral).toBe(true);
  });

  it('The router shows a refusal after the acknowledgement in place of the reply', async () => {
    const { discord } = await startRouter();
    const lateExchange = await discord.as('member').slash('late');
    expect((await lateExchange.acknowledged()).ephemeral).toBe(true);
    expect(text(await lateExchange.message())).toContain('is restarting');
  });

  it.each(['a command', 'a form'])(
    'If Discord refuses the first response to %s, the member privately gets an error reference',
    async (first) => {
      const { discord, logged } = await startRouter();
      const member = discord.as('member');
      const shown = await (await member.slash('show', { what: 'boat' })).message();
      discord.faults.add({ on: callback, do: { type: 'status', status: 400, code: 50_035 } });
      const exchange =
        first === 'a form' ? await member.click(shown, 'Open') : await member.slash('show', { what: 'cat' });
      const reply = await exchange.message();
      expect(reply.ephemeral).toBe(true);
      expect(logged()).toContain(/`([0-9a-f]{8})`/.exec(text(reply))?.[1] ?? 'no reference');
      expect(discord.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    },
  );

  it('If the outcome of an acknowledgement is unknown, the failure is shown where Discord shows the acknowledgement', async () => {
    const { discord } = await startRouter();
    const member = discord.as('member');
    const lost = { on: callback, do: { type: 'status', status: 503 } } as const;
    discord.faults.add({ ...lost, times: 3 });
    const unanswered = await (await member.slash('show', { what: 'boat' })).message();
    expect([text(unanswered), unanswered.ephemeral]).toEqual([expect.stringMatching(/`[0-9a-f]{8}`/), true]);
    discord.faults.add({ on: callback, do: { type: 'reset', done: true } });
    discord.faults.add({ ...lost, times: 2 });
    const exchange = await member.slash('show', { what: 'cat' });
    expect((await exchange.acknowledged()).ephemeral).toBe(false);
    const explanation = await exchange.followUp();
    expect([text(explanation), explanation.ephemeral]).toEqual([expect.stringMatching(/`[0-9a-f]{8}`/), true]);
  });

  it('If a handler throws, the router shows the member an error reference and logs the stack', async () => {
    const { discord, logged } = await startRouter();
    const content = text(await (await discord.as('member').slash('throws')).message());
    const reference = /`([0-9a-f]{8})`/.exec(content)?.[1] ?? 'none';
    expect(content).not.toContain('bug');
    expect(logged()).toContain(reference);
    expect(logged()).toContain('a bug');
  });
});
