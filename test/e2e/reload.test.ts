import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { ruleTargets } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { reloadedVariables } from '../../src/config-reload.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { itVariants } from '../support/variants.ts';
import { hasEnded, modelRequests } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import { createFastClockFixture, says, submitCount } from './quick.ts';

/** A bot whose settings can be changed while it runs. */
async function startChangeableBot(settings: Record<string, string> = {}, speed = 20) {
  const fixture = await createFastClockFixture({ gateway: { speed }, settings: { ...noLimits, ...settings } });
  const environment = { ...fixture.environment };
  const readSettings = () => readConfig(environment, ruleTargets);
  const { reload } = await startBot({ ...fixture, tools: { ...fixture.tools, readSettings } });
  return {
    ...fixture,
    async reload(changes: Record<string, string>) {
      Object.assign(environment, changes);
      return await reload?.();
    },
  };
}
type ChangeableBot = Awaited<ReturnType<typeof startChangeableBot>>;

function jsonFile(content: object): string {
  const path = join(createTemporaryFolder(), 'settings.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const answerTo = async ({ discord }: ChangeableBot, channel = 'hall', prompt = 'a fox'): Promise<string> =>
  text(
    await (await discord.as('member').in(channel).slash('imagine', { prompt })).message((message) =>
      /Finished in|limit|blocked/.test(text(message)),
    ),
  );

describe('A reload', () => {
  itVariants([
    ['DEFAULT_MEMBER_BUDGET', 'your limit on this server', 'hall'],
    ['DEFAULT_SERVER_BUDGET', 'the operator’s limit for this server', 'hall'],
    ['DIRECT_BUDGET', 'limit', 'dm'],
    ['TOTAL_BUDGET', 'limit', 'hall'],
  ])(
    '%s applies at once, and what was ordered before counts in a period that had no limit',
    async (name, words, channel) => {
      const bot = await startChangeableBot({ DISCORD_USER_INSTALL: 'on' });
      expect(await answerTo(bot, channel)).toContain('Finished in');
      expect(await bot.reload({ [name]: '1 task a month' })).toMatchObject({ taken: [name], needRestart: [] });
      expect(await answerTo(bot, channel)).toContain(words);
      expect(submitCount(bot.gateway)).toBe(1);
      await bot.reload({ [name]: 'none' });
      expect(await answerTo(bot, channel)).toContain('Finished in');
    },
  );

  it.each(['MEMBER_RATE', 'SERVER_RATE'])('%s applies at once', async (name) => {
    const bot = await startChangeableBot();
    await bot.reload({ [name]: '1 at once, 1 a minute' });
    const about = async () => text(await (await bot.discord.as('member').slash('about')).message());
    expect(await about()).toContain('Version');
    expect(await about()).toContain('too quickly');
  });

  it('Rules and prices are read from their files again', async () => {
    const bot = await startChangeableBot({
      PRICES: jsonFile({ imagine: '0.10' }),
      DEFAULT_MEMBER_BUDGET: '$0.15 a day',
    });
    const settings = { PRICES: jsonFile({ imagine: '0.20' }), RULES: jsonFile({ words: [{ text: 'casino' }] }) };
    expect(await answerTo(bot, 'hall', 'a casino')).toContain('Finished in');
    await bot.reload(settings);
    expect(await answerTo(bot, 'hall', 'a fox')).toContain('$0.20');
    expect(await answerTo(bot, 'hall', 'a casino')).toContain('blocked');
  });

  it('Default models and the kinds of models apply to the next order', async () => {
    const bot = await startChangeableBot({ DEFAULT_TEXT_MODEL: 'quill-5' });
    const { discord, gateway } = bot;
    const modelFor = async (who: string): Promise<unknown> => {
      await (await discord.as(who).slash('ask', { prompt: 'why?' })).message(hasEnded);
      return modelRequests(gateway).at(-1)?.model;
    };
    expect(await modelFor('member')).toBe('quill-5');
    await bot.reload({ DEFAULT_TEXT_MODEL: 'quill-5-mini' });
    expect(await modelFor('other')).toBe('quill-5-mini');
    const suggested = async () =>
      (await discord.as('member').complete('image', { prompt: 'a fox', model: '' }, 'model')).map(({ value }) => value);
    const kindsBefore = await suggested();
    await bot.reload({ MODEL_KINDS: jsonFile({ 'reel-*': 'image' }) });
    expect(await suggested()).not.toEqual(kindsBefore);
  });

  it('A default model that the gateway does not list is named once in the log and in a notice, until a reload sets a listed one', async () => {
    const bot = await startChangeableBot({ DEFAULT_IMAGE_MODEL: 'gone-model-1' });
    const about = async () => text(await (await bot.discord.as('owner').slash('about')).ephemeral());
    const sentence = 'The gateway does not list the model `gone-model-1` of `DEFAULT_IMAGE_MODEL`';
    expect(await about()).toContain(sentence);
    bot.clock.advance(3 * 60_000);
    await bot.reload({ DEFAULT_IMAGE_MODEL: 'lumen-image-1' });
    expect(await about()).not.toContain(sentence);
    expect(bot.logged().split('"setting":"DEFAULT_IMAGE_MODEL","model":"gone-model-1"')).toHaveLength(2);
  });

  it('The number of jobs and of answers at once applies to what waits and to the next order', {
    tags: ['breadth'],
  }, async () => {
    const bot = await startChangeableBot({ DEFAULT_TEXT_MODEL: 'quill-5', GATEWAY_JOBS_AT_ONCE: '1' });
    const member = bot.discord.as('member');
    await member.slash('imagine', { prompt: 'a fox' });
    const waiting = await member.slash('imagine', { prompt: 'a hare' });
    await waiting.message(says('Position in the queue'));
    await bot.reload({ GATEWAY_JOBS_AT_ONCE: '', GATEWAY_POLLS_PER_SECOND: '50', MAX_ANSWERS_PER_MEMBER: '1' });
    await waiting.message(says('Finished in'));
    bot.gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'hang' }, times: 1 });
    await member.slash('ask', { prompt: 'one?' });
    await bot.discord.until(() => modelRequests(bot.gateway)[0], 'the question');
    const refused = await (await member.slash('ask', { prompt: 'two?' })).message();
    expect(text(refused)).toContain('You already have 1 answer in progress.');
    await bot.reload({ MAX_ANSWERS_PER_MEMBER: '2', MAX_ANSWERS: '1' });
    expect(text(await (await member.slash('ask', { prompt: 'three?' })).message())).toContain('busy');
  });

  it('A wait limit applies to tasks that are under way, and the log level to the next line', {
    tags: ['breadth'],
  }, async () => {
    const bot = await startChangeableBot({ MAX_WAIT_IMAGE_SECONDS: '86400' }, 0.1);
    const exchange = await bot.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await bot.discord.until(() => submitCount(bot.gateway) === 1 || undefined, 'the order');
    const { length } = bot.logged();
    await bot.reload({ MAX_WAIT_IMAGE_SECONDS: '30', LOG_LEVEL: 'silent' });
    await exchange.message(says('longer than usual'));
    expect(bot.logged()).toHaveLength(length);
  });

  it('One wrong value changes nothing, and neither does a setting that only fits after a restart', {
    tags: ['breadth'],
  }, async () => {
    const bot = await startChangeableBot();
    const wrong = { DEFAULT_MEMBER_BUDGET: 'much', RULES: jsonFile({ words: [{ text: 'fox' }] }), LOG_LEVEL: 'silent' };
    await expect(bot.reload(wrong)).rejects.toThrow('DEFAULT_MEMBER_BUDGET should be limits');
    expect(await answerTo(bot)).toContain('Finished in');
    expect(bot.log.level).toBe('debug');
    const moderated = {
      RULES: jsonFile({ moderation: { prompts: 'refuse' } }),
      MODERATION_BASE_URL: 'http://127.0.0.1:9',
      DEFAULT_MEMBER_BUDGET: 'none',
    };
    await expect(bot.reload(moderated)).rejects.toThrow(/only a restart changes it/);
    expect(bot.log.level).toBe('debug');
    const { RULES, ...withoutRules } = moderated;
    expect(await bot.reload({ ...withoutRules, RULES: '' })).toEqual(
      expect.objectContaining({ taken: ['LOG_LEVEL'], needRestart: ['MODERATION_BASE_URL'] }),
    );
    expect(bot.log.level).toBe('silent');
  });

  it('The documentation names every setting that a reload takes over', () => {
    const [, section = ''] = readFileSync('docs/configuration.md', 'utf8').split('## Change settings');
    expect(reloadedVariables.filter((name) => !section.split('\n## ')[0]?.includes(name))).toEqual([]);
  });
});
