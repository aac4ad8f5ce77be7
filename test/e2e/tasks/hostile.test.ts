import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { type FastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import { errorsIn, jobs, orderGrid, orders, pressAndWait } from './fixture.ts';

const mentionText =
  '@everyone @here <@&200000000000000001> <@100000000000000001> <@!100000000000000001> <#300000000000000001>';
const rightToLeft = 'a \u202efox\u2066 in \u2067the \u200fsnow';

/** Prompts with text that must not have an effect in Discord. */
const prompts = {
  mentions: mentionText,
  markdown:
    '# head\n> quote\n- list\n1. one ***bold*** __under__ ~~gone~~ ||spoiler|| `code` [words](https://a.example)',
  fences: '```js\nalert("x")\n``` and ``two`` and `one',
  links: 'https://a.example/x_(y)*z* <https://b.example> [c](http://c.example) discord.gg/abcdef',
  timestamps: '<t:0:R> </imagine:400000000000000001> <:fox:500000000000000001> <id:home>',
  'unclosed Markdown markers': '** __ ~~ || ` * _ [ ( < \\',
  'right to left': rightToLeft,
  'zero width': 'a\u200bfox\u200c in\u200d \u2060the\ufeff snow\u00ad',
  'template characters': '{{owner}} {{prompt}} $t(task.failed) $& $1 $$ %s %d <%= y %> \\u0041',
  'odd spaces': 'a\u00a0fox\u2003in\u3000the\tsnow\r\nand\n\n\nmore\u2028lines\u2029here',
  'stacked accents': `f${'\u0301'.repeat(200)}ox`,
  'control characters': 'a\u0007fox\u001b[31m in\u0000 the snow',
  'family of emoji': '👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪 e\u0301',
} as const;

const longPrompts = {
  letters: 'fox '.repeat(1_500).trim(),
  emoji: '🦊'.repeat(3_000),
  'emoji from an odd index': `x${'🦊'.repeat(2_999)}`,
  'Markdown characters': '*_'.repeat(3_000),
  'one URL': `https://a.example/${'x'.repeat(5_900)}`,
  mentions: '@everyone '.repeat(600).trim(),
  'one word': 'x'.repeat(6_000),
} as const;

/** Starts a bot for many requests of one member; the images do not matter. */
const startCaseBot = (): ReturnType<typeof startFastClockBot> =>
  startFastClockBot({ gateway: { speed: 20, studio: singleSceneStudio() }, settings: noLimits });

const hasUpscaleAll = (message: Message): boolean => labels(message).includes('Upscale all');

/** Removes escaped characters; any special characters that remain would have an effect in Discord. */
const withoutEscapes = (escaped: string): string => escaped.replace(/\\[\\*_~`|<>[\]()]/g, '');

const pingsNoOne = ({ mentions, mention_everyone, mention_roles }: Message): boolean =>
  mentions.length === 0 && !mention_everyone && mention_roles.length === 0;

/** The line with the prompt and the requester. */
const headline = (message: Message): string => text(message).split('\n')[0] ?? '';

const statusText = (message: Message): string => text(message).split('\n').slice(1).join('\n');

const promptOf = ({ gateway }: FastClockFixture): string | undefined => jobs(gateway).at(-1)?.prompt;

describe('A hostile prompt', () => {
  it('Prompts with text that has an effect in Discord arrive unchanged, ping no one and break no Markdown', async () => {
    const fixture = await startCaseBot();
    const member = fixture.discord.as('member');
    for (const [name, prompt] of Object.entries(prompts)) {
      const exchange = await member.slash('imagine', { prompt });
      const progressMessage = await exchange.message(says('%'));
      const final = await exchange.message(says('Finished in'));
      expect(promptOf(fixture), name).toBe(prompt);
      for (const message of [progressMessage, final]) {
        expect(pingsNoOne(message), name).toBe(true);
        // The whole prompt is between the two markers, on one line before the requester, and no part of it is below.
        expect(headline(message), name).toMatch(new RegExp(`^\\*\\*.*\\*\\* · <@${member.user.id}>$`, 'u'));
        const promptText = headline(message).slice(2, headline(message).lastIndexOf('** · '));
        expect(withoutEscapes(promptText).replace(/<https?:\/\/[^<>\s]*>/g, ''), name).not.toMatch(/[*_~`|<>[\]]/);
      }
      expect(statusText(final), name).toMatch(/^Finished in (\d+ min|(\d+ min, )?\d+ sec)\.$/);
      expect(labels(final), name).toContain('Upscale all');
      expect(final.attachments, name).toHaveLength(1);
      expect(final.attachments[0]?.description, name).toMatch(/^AI-generated: ./);
    }
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Prompts of 6,000 characters arrive complete, and their messages still show the status and the requester', async () => {
    const fixture = await startCaseBot();
    const member = fixture.discord.as('member');
    for (const [name, prompt] of Object.entries(longPrompts)) {
      const final = await (await member.slash('imagine', { prompt })).message(hasUpscaleAll);
      expect(promptOf(fixture), name).toBe(prompt);
      expect(pingsNoOne(final), name).toBe(true);
      expect(text(final).isWellFormed(), name).toBe(true);
      expect(final.attachments[0]?.description?.isWellFormed(), name).toBe(true);
      expect(text(final), name).toContain(`<@${member.user.id}>`);
      expect(text(final), name).toMatch(/Finished in \d+ sec\./);
    }
  });
});

describe('A prompt that contains a URL', () => {
  it('A URL in a prompt does not end the bold text of the message', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const message = await orderGrid(fixture, { prompt: 'a fox https://a.example/**x**/y in the snow' });
    expect(headline(message).slice(2, headline(message).lastIndexOf('** · '))).not.toContain('**');
    expect(promptOf(fixture)).toContain('https://a.example/**x**/y');
  });
});

describe('A prompt with right-to-left characters', () => {
  it('A prompt with right-to-left characters does not reverse the text after it', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const firstLine = headline(await orderGrid(fixture, { prompt: rightToLeft }));
    const overrideCount = [...firstLine.matchAll(/[\u202a\u202b\u202d\u202e]/g)].length;
    const isolateCount = [...firstLine.matchAll(/[\u2066-\u2068]/g)].length;
    expect([...firstLine.matchAll(/\u202c/g)]).toHaveLength(overrideCount);
    expect([...firstLine.matchAll(/\u2069/g)]).toHaveLength(isolateCount);
  });
});

describe('An invisible prompt', () => {
  it('An invisible prompt is refused without a request to the gateway', async () => {
    const fixture = await startCaseBot();
    for (const prompt of ['\u200b\u200c\u200d\u2060\ufeff', '\u202e\u200f', '\u00a0\u3000 \t']) {
      const exchange = await fixture.discord.as('member').slash('imagine', { prompt });
      expect(text(await exchange.message())).toContain('The prompt is empty');
    }
    expect(orders(fixture.gateway)).toEqual([]);
  });
});

describe('Hostile text in a form', { tags: ['breadth'] }, () => {
  it('Text in a form arrives unchanged and pings no one', async () => {
    const fixture = await startCaseBot();
    const member = fixture.discord.as('member');
    const single = await pressAndWait(fixture, await orderGrid(fixture), 'U1');
    for (const start of [mentionText, prompts.markdown, '🦊'.repeat(1_995)]) {
      const words = `${start} --zoom 2`;
      const form = await (await member.click(single, 'Custom Zoom')).modal();
      const zoomed = await (await member.fill(form, { words })).message(says('Finished in'));
      expect(promptOf(fixture)).toBe(words);
      expect(pingsNoOne(zoomed)).toBe(true);
      expect(text(zoomed)).toContain('Custom zoom · [source]');
    }
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A prompt that is too long for a form field is unchanged if the form is submitted without edits', async () => {
    const fixture = await startCaseBot();
    const member = fixture.discord.as('member');
    for (const name of ['letters', 'one word', 'emoji from an odd index'] as const) {
      const prompt = longPrompts[name];
      fixture.gateway.faults.add({ do: 'fail' });
      const failed = await (await member.slash('imagine', { prompt })).message((one) => labels(one).includes('Retry'));
      const form = await (await member.click(failed, 'Edit and retry')).modal();
      expect(isWellFormed(form), name).toBe(true);
      // Waits until an identical request no longer counts as a duplicate.
      fixture.clock.advance(5_000);
      await (await member.fill(form, {})).message(hasUpscaleAll);
      expect(promptOf(fixture), name).toBe(prompt);
    }
  });
});

/** Whether no string in the value contains a lone surrogate, which Discord would refuse. */
const isWellFormed = (value: object): boolean => {
  let isValid = true;
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string' && !part.isWellFormed()) isValid = false;
    return part;
  });
  return isValid;
};

describe('Hostile text from the gateway', () => {
  it('Hostile failure reasons ping no one and stay plain text', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    gateway.faults.add({
      do: { type: 'fail', reason: `${mentionText} **now** https://a.example ${'x'.repeat(5_000)}` },
    });
    const failed = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(
      says('This task failed'),
    );
    expect(pingsNoOne(failed)).toBe(true);
    expect(statusText(failed)).toContain('\\<@&200000000000000001\\>');
    expect(statusText(failed)).toContain('\\*\\*now\\*\\* <https://a.example>');
    expect(labels(failed)).toEqual(['Retry', 'Edit and retry', 'Delete']);
  });

  it('Hostile refusal reasons ping no one and stay plain text', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({
      on: { path: /\/submit\// },
      do: {
        type: 'status',
        status: 400,
        code: 'invalid_request',
        message: `${mentionText} **now** https://a.example/`,
      },
    });
    const refused = await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message();
    expect(pingsNoOne(refused)).toBe(true);
    expect(withoutEscapes(text(refused)).replace(/`[^`]*`/g, '')).not.toMatch(/<@|\*\*|(?<!<)https:/);
  });
});

describe('An uploaded file with a hostile name', { tags: ['breadth'] }, () => {
  const names = {
    slashes: 'a/b\\c.png',
    dots: '...png',
    'parent folders': '../../etc/passwd.png',
    'line breaks': 'fox\n@everyone\r\nsnow.png',
    '300 letters': `${'fox'.repeat(100)}.png`,
    'quotes and code': '`"\'<@100000000000000001>.png',
    'right to left': 'gnp\u202efox.png',
    'only slashes': '///',
  };

  it('An image reaches the gateway, whatever its name contains', async () => {
    const fixture = await startCaseBot();
    for (const [contents, name] of Object.entries(names)) {
      const bytes = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const orderCountBefore = orders(fixture.gateway).length;
      const image = { name, bytes, contentType: 'image/png' };
      const message = await orderGrid(fixture, { prompt: `a fox with ${contents}`, image });
      // The gateway cannot reach Discord's files here, so the image is uploaded first.
      expect(orders(fixture.gateway).slice(orderCountBefore), contents).toMatchObject([
        { path: '/imgx/submit/upload-discord-images', body: { base64Array: [expect.stringContaining('data:image/')] } },
        { path: '/imgx/submit/imagine', body: { prompt: expect.stringMatching(/^http:\S+ /) } },
      ]);
      expect(pingsNoOne(message), contents).toBe(true);
      expect(message.attachments[0]?.filename, contents).toMatch(/^a-fox-with-[a-z\d-]+-1\.png$/);
    }
  });

  it('A file that is not an image is refused, and the refusal escapes its name', async () => {
    const fixture = await startCaseBot();
    const member = fixture.discord.as('member');
    for (const [contents, name] of Object.entries(names)) {
      const image = { name, bytes: Buffer.from('no image'), contentType: 'image/png' };
      const refused = await (await member.slash('imagine', { prompt: 'a fox', image })).message();
      expect(text(refused), contents).toMatch(/^-# Your request: \/imagine a fox\n`[^`]+` is not a valid image\./);
      expect(pingsNoOne(refused), contents).toBe(true);
    }
    expect(orders(fixture.gateway)).toEqual([]);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
