import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import { validateBody } from '../../../sandbox/discord/validation/index.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { imagine } from '../../../src/commands/imagine/feature.ts';
import { registrationOf } from '../../../src/discord/registration.ts';
import { startTestBot } from '../../e2e/bot.ts';
import { imageUpload } from '../../e2e/tasks/image-fixture.ts';
import { itVariants } from '../../support/variants.ts';

const orders = ({ requests }: EmbeddedGateway) => requests.filter(({ path }) => path.includes('/submit/'));
const promptOf = (gateway: EmbeddedGateway) => (orders(gateway)[0]?.body as { prompt?: unknown } | undefined)?.prompt;

/** Returns the immediate ephemeral reply that a member gets. */
async function refusalOf(pendingExchange: ReturnType<ReturnType<EmbeddedDiscord['as']>['slash']>): Promise<string> {
  const exchange = await pendingExchange;
  // Type 4 is a message instead of a deferral, so nothing was acknowledged before it.
  expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
  return text(await exchange.message());
}

describe('/imagine', () => {
  it('Discord accepts the registration of /imagine', () => {
    const body = registrationOf(imagine, { userInstall: true });
    expect(validateBody('commands', [body])).toEqual([]);
    const byName = Object.fromEntries((body.options ?? []).map((option) => [option.name, option]));
    expect(byName.prompt).toMatchObject({ type: 3, required: true, max_length: 6_000 });
    expect(byName.aspect).toMatchObject({
      type: 3,
      choices: expect.arrayContaining([expect.objectContaining({ value: '1:1', name: 'Square (1:1)' })]),
    });
    expect(byName.seed).toMatchObject({ type: 4, min_value: 0, max_value: 4_294_967_295, required: false });
    expect(byName.weight).toMatchObject({ type: 10, min_value: 0, max_value: 3 });
    expect(byName.image).toMatchObject({ type: 11, file_types: ['image'] });
    expect(byName.tile).toMatchObject({ type: 5 });
  });

  it('/imagine writes its options into the prompt as flags', async () => {
    const { discord, gateway } = await startTestBot();
    const options = {
      prompt: 'https://files.example/1.png a fox in the snow',
      aspect: '16:9',
      negative: 'people',
      version: 'niji 7',
      style: 'raw',
      quality: '2',
      chaos: 0,
      stylize: 50,
      weird: 5,
      seed: 4_294_967_295,
      weight: 1.5,
      tile: true,
    };
    await (await discord.as('member').slash('imagine', options)).message();
    expect(promptOf(gateway)).toBe(
      'https://files.example/1.png a fox in the snow --ar 16:9 --niji 7 --style raw --quality 2 --stylize 50 --chaos 0 --weird 5 --iw 1.5 --seed 4294967295 --tile --no people',
    );
  });

  it('/imagine keeps typed flags, which take precedence over its options', async () => {
    const { discord, gateway } = await startTestBot();
    const prompt = 'a  fox —ar 2:3 --no wolves';
    await (
      await discord.as('member').slash('imagine', { prompt, aspect: '16:9', negative: 'people', chaos: 5 })
    ).message();
    expect(promptOf(gateway)).toBe('a  fox —ar 2:3 --no wolves --chaos 5');
  });

  it('/imagine puts the URLs of files and links before the prompt', async () => {
    const { discord, gateway } = await startTestBot({ settings: { MEDIA_ALLOW_PRIVATE: 'on' } });
    const member = discord.as('member');
    const postedUrls = (await member.say('look', [await imageUpload(), await imageUpload()])).attachments.map(
      ({ url }) => url,
    );
    const options = { prompt: 'a fox', image: await imageUpload(), links: postedUrls.join(', ') };
    await (await member.slash('imagine', options)).message();
    const [file, ...rest] = String(promptOf(gateway)).split(' ');
    expect(file).toMatch(/^http:.*ex=/);
    expect(rest).toEqual([...postedUrls, 'a', 'fox']);
  });

  itVariants([
    ['a prompt without text', { prompt: '\u200b ' }, 'The prompt is empty'],
    ['a flag out of range', { prompt: 'a fox —chaos 500' }, '`--chaos` must be a number between `0` and `100`.'],
    [
      'a file that is not an image',
      { prompt: 'a fox', image: { name: 'a.txt', bytes: Buffer.from('hello') } },
      '`a.txt` is not an image (its type is `text/plain`).',
    ],
    ['an invalid link', { prompt: 'a fox', links: 'my `cat`' }, '`my` is not a valid URL'],
    ['flags as excluded terms', { prompt: 'a fox', negative: '--tile' }, 'Move `--tile` to the prompt'],
  ])('/imagine refuses %s immediately, without a request to the gateway', async (_what, options, words) => {
    const { discord, gateway } = await startTestBot();
    expect(await refusalOf(discord.as('member').slash('imagine', options))).toContain(words);
    expect(orders(gateway)).toEqual([]);
  });

  itVariants([
    ['member', 'read-only', 'without these permissions: `Send Messages`, `Attach Files`.'],
    ['admin', 'admin-room', 'without these permissions: `View Channel`, `Send Messages`, `Attach Files`.'],
  ])(
    '/imagine tells %s in %s which permissions the bot is missing, without a request to the gateway',
    async (who, where, words) => {
      const { discord, gateway } = await startTestBot();
      expect(await refusalOf(discord.as(who).in(where).slash('imagine', { prompt: 'a fox' }))).toContain(words);
      expect(orders(gateway)).toEqual([]);
    },
  );

  itVariants([
    ['an ephemeral result where the bot is not allowed to post', 'member', 'read-only', { private: true }],
    ['a thread', 'member', 'thread', {}],
    ['a direct message', 'member', 'dm', {}],
    ['a server without the bot', 'installer', 'lobby', {}],
  ])('/imagine requires no permission for %s', async (_what, who, where, options) => {
    const { discord, gateway } = await startTestBot({ settings: { DISCORD_USER_INSTALL: 'on' } });
    await (
      await discord
        .as(who)
        .in(where)
        .slash('imagine', { prompt: 'a fox', ...options })
    ).message();
    expect(orders(gateway)).toHaveLength(1);
  });
});
