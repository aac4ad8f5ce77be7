import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { labels, says, startFastClockBot } from './quick.ts';
import { startTalkBot, threadOf } from './talk/fixture.ts';

const models = { DEFAULT_TEXT_MODEL: 'quill-5', DEFAULT_TALK_MODEL: 'parley-realtime' };
const hasButton =
  (name: string) =>
  (message: Message): boolean =>
    labels(message).includes(name);
const isRefusal = (message: Message): boolean => /already have|too busy/.test(text(message));

describe('Simultaneous answers and live conversations', () => {
  it('The number of simultaneous answers is limited for each member, and an answer that ends makes room for another', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 0.2 },
      settings: { ...models, MAX_ANSWERS_PER_MEMBER: '1', MAX_ANSWERS: '2' },
    });
    let requestCount = 0;
    const ask = (who: string) =>
      discord.as(who).slash('ask', { prompt: `tell me of snow ${++requestCount}, 2000 words` });
    const first = await ask('member');
    const streaming = await first.message(hasButton('Stop'));
    expect(text(await (await ask('member')).ephemeral(isRefusal))).toContain(
      'You already have 1 answer in progress. Wait until it has finished, or press **Stop** under it.',
    );
    await (await ask('other')).message(hasButton('Stop'));
    expect(text(await (await ask('admin')).ephemeral(isRefusal))).toContain('too busy');
    expect(gateway.requests.filter(({ path }) => path === '/v1/responses')).toHaveLength(2);
    await discord.as('member').click(streaming, 'Stop');
    await first.message(says('Stopped.'));
    await (await ask('member')).message(hasButton('Stop'));
  });

  it('A member can have only one live conversation, and can start another after its end', async () => {
    const { discord } = await startTalkBot({ settings: { MAX_TALKS_PER_MEMBER: '1' } });
    let talkCount = 0;
    const start = (who: string) => discord.as(who).slash('talk start', { instructions: `talk ${++talkCount}` });
    const first = await start('member');
    const thread = await threadOf(first);
    expect(text(await (await start('member')).ephemeral(isRefusal))).toContain('You already have a live conversation.');
    await threadOf(await start('other'));
    await (await discord.as('member').in(thread).slash('talk end')).message(says('has ended'));
    expect(await threadOf(await start('member'))).not.toBe(thread);
  });
});
