import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { profiles } from '../../contract/both.ts';
import { labels, type QuickStage, quickBot, says } from '../quick.ts';
import { errorsIn, grid, jobs, orders } from './proof.ts';

const everybody =
  '@everyone @here <@&200000000000000001> <@100000000000000001> <@!100000000000000001> <#300000000000000001>';
const rightToLeft = 'a \u202efox\u2066 in \u2067the \u200fsnow';

/** Each with the letters of it that no one may see acting as what they are. */
const prompts = {
  mentions: everybody,
  markdown:
    '# head\n> quote\n- list\n1. one ***bold*** __under__ ~~gone~~ ||spoiler|| `code` [words](https://a.example)',
  fences: '```js\nalert("x")\n``` and ``two`` and `one',
  links: 'https://a.example/x_(y)*z* <https://b.example> [c](http://c.example) discord.gg/abcdef',
  timestamps: '<t:0:R> </imagine:400000000000000001> <:fox:500000000000000001> <id:home>',
  'left open': '** __ ~~ || ` * _ [ ( < \\',
  'right to left': rightToLeft,
  'zero width': 'a\u200bfox\u200c in\u200d \u2060the\ufeff snow\u00ad',
  'template signs': '{{owner}} {{prompt}} $t(task.failed) $& $1 $$ %s %d <%= y %> \\u0041',
  'odd spaces': 'a\u00a0fox\u2003in\u3000the\tsnow\r\nand\n\n\nmore\u2028lines\u2029here',
  'stacked accents': `f${'\u0301'.repeat(200)}ox`,
  'control signs': 'a\u0007fox\u001b[31m in\u0000 the snow',
  'family of emoji': '👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪 e\u0301',
} as const;

/** Where a text's own signs have been taken from it, and what is left acts on anyone who reads it. */
const literally = (shown: string): string => shown.replace(/\\[\\*_~`|<>[\]()]/g, '');

const isQuiet = ({ mentions, mention_everyone, mention_roles }: Message): boolean =>
  mentions.length === 0 && !mention_everyone && mention_roles.length === 0;

/** The line that says what was asked for, and by whom. */
const headline = (message: Message): string => text(message).split('\n')[0] ?? '';

const status = (message: Message): string => text(message).split('\n').slice(1).join('\n');

const promptOf = ({ gateway }: QuickStage): string | undefined => jobs(gateway).at(-1)?.prompt;

describe.each(profiles)('a prompt for a gateway of the %s profile', (profile) => {
  it.each(Object.entries(prompts))(
    'Full of %s arrives letter by letter, and pings and breaks nothing',
    async (_, prompt) => {
      const stage = await quickBot({ gateway: { profile, speed: 20 } });
      const { discord } = stage;
      const exchange = await discord.as('member').slash('imagine', { prompt });
      const moving = await exchange.message(says('%'));
      const final = await exchange.message(says('Finished in'));
      expect(promptOf(stage)).toBe(prompt);
      for (const message of [moving, final]) {
        expect(isQuiet(message)).toBe(true);
        // The whole of it is inside the two marks, on one line, before its owner; below it nothing of it is left.
        expect(headline(message)).toMatch(new RegExp(`^\\*\\*.*\\*\\* · <@${discord.world.user('member').id}>$`, 'u'));
        const inside = headline(message).slice(2, headline(message).lastIndexOf('** · '));
        expect(literally(inside).replace(/<https?:\/\/[^<>\s]*>/g, '')).not.toMatch(/[*_~`|<>[\]]/);
      }
      expect(status(final)).toMatch(/^Finished in \d+ s\.$/);
      expect(labels(final)).toContain('Upscale all');
      expect(final.attachments).toHaveLength(1);
      expect(final.attachments[0]?.description).toMatch(/^AI-generated: ./);
      expect(errorsIn(stage)).toEqual([]);
    },
  );

  it.each([
    ['letters', 'fox '.repeat(1_500).trim()],
    ['emoji', '🦊'.repeat(3_000)],
    ['emoji from an odd place on', `x${'🦊'.repeat(2_999)}`],
    ['signs that have to be taken literally', '*_'.repeat(3_000)],
    ['one address', `https://a.example/${'x'.repeat(5_900)}`],
    ['mentions', '@everyone '.repeat(600).trim()],
  ])(
    'A prompt for a gateway of the profile of 6,000 letters (%s) arrives whole, and its message still says how it stands, and whose it is',
    async (_, prompt) => {
      const stage = await quickBot({ gateway: { profile, speed: 20 } });
      const exchange = await stage.discord.as('member').slash('imagine', { prompt });
      const labelled = (message: Message): boolean => labels(message).includes('Upscale all');
      const final = await exchange.message(labelled);
      expect(promptOf(stage)).toBe(prompt);
      expect(isQuiet(final)).toBe(true);
      expect(text(final).isWellFormed()).toBe(true);
      expect(final.attachments[0]?.description?.isWellFormed()).toBe(true);
      expect(text(final)).toContain(`<@${stage.discord.world.user('member').id}>`);
      expect(text(final)).toMatch(/Finished in \d+ s\./);
    },
  );
});

describe('an address in a prompt', () => {
  it('An address in a prompt ends no mark of the message that it stands in', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const message = await grid(stage, { prompt: 'a fox https://a.example/**x**/y in the snow' });
    expect(headline(message).slice(2, headline(message).lastIndexOf('** · '))).not.toContain('**');
    expect(promptOf(stage)).toContain('https://a.example/**x**/y');
  });
});

describe('a prompt that turns its letters round', () => {
  it('A prompt that turns its letters round turns round nothing that stands behind it', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const shown = headline(await grid(stage, { prompt: rightToLeft }));
    const opened = [...shown.matchAll(/[\u202a\u202b\u202d\u202e]/g)].length;
    const isolated = [...shown.matchAll(/[\u2066-\u2068]/g)].length;
    expect([...shown.matchAll(/\u202c/g)]).toHaveLength(opened);
    expect([...shown.matchAll(/\u2069/g)]).toHaveLength(isolated);
  });
});

describe('words that no one sees', () => {
  it.each([
    ['zero width', '\u200b\u200c\u200d\u2060\ufeff'],
    ['right to left', '\u202e\u200f'],
    ['spaces', '\u00a0\u3000 \t'],
  ])('Words that no one sees are no prompt (%s), and the gateway hears nothing of them', async (_, prompt) => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const exchange = await stage.discord.as('member').slash('imagine', { prompt });
    expect(text(await exchange.message())).toContain('The prompt is empty');
    expect(orders(stage.gateway)).toEqual([]);
  });
});

describe('words in a form', () => {
  it.each([
    ['mentions', everybody],
    ['markdown', prompts.markdown],
    ['4,000 emoji halves', '🦊'.repeat(2_000)],
  ])('Full of %s arrive letter by letter, and ping no one', async (_, words) => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const member = stage.discord.as('member');
    const single = await (await member.click(await grid(stage), 'U1')).message(says('Finished in'));
    const form = await (await member.click(single, 'Custom Zoom')).modal();
    const zoomed = await (await member.fill(form, { words })).message(says('Finished in'));
    expect(promptOf(stage)).toBe(words);
    expect(isQuiet(zoomed)).toBe(true);
    expect(text(zoomed)).toContain('Custom zoom · [source]');
    expect(errorsIn(stage)).toEqual([]);
  });

  it.each([
    ['words', 'fox '.repeat(1_500).trim()],
    ['one word', 'x'.repeat(6_000)],
    ['emoji from an odd place on', `x${'🦊'.repeat(2_999)}`],
  ])(
    'Words in a form of a prompt longer than a field (%s) come back unchanged when only sent again',
    async (_, prompt) => {
      const stage = await quickBot({ gateway: { speed: 20 } });
      const member = stage.discord.as('member');
      stage.gateway.faults.add({ do: 'fail' });
      const failed = await (await member.slash('imagine', { prompt })).message((one) => labels(one).includes('Retry'));
      const form = await (await member.click(failed, 'Edit and retry')).modal();
      expect(isWellFormed(form)).toBe(true);
      // So much later, asking for the same is asking again.
      stage.clock.putForward(5_000);
      const again = await member.fill(form, {});
      await again.message((one) => labels(one).includes('Upscale all'));
      expect(promptOf(stage)).toBe(prompt);
    },
  );
});

/** Half a letter is nothing that Discord takes. */
const isWellFormed = (value: object): boolean => {
  let isFine = true;
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string' && !part.isWellFormed()) isFine = false;
    return part;
  });
  return isFine;
};

describe('a gateway’s own words', () => {
  it('Hostile reasons of failures ping no one and stay plain text', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const { discord, gateway } = stage;
    gateway.faults.add({ do: { type: 'fail', reason: `${everybody} **now** https://a.example ${'x'.repeat(5_000)}` } });
    const failed = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(
      says('This task failed'),
    );
    expect(isQuiet(failed)).toBe(true);
    expect(status(failed)).toContain('\\<@&200000000000000001\\>');
    expect(status(failed)).toContain('\\*\\*now\\*\\* <https://a.example>');
    expect(labels(failed)).toEqual(['Retry', 'Edit and retry', 'Delete']);
  });

  it('A gateway’s own words stay words when they say why an order was refused', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    stage.gateway.faults.add({
      on: { path: /\/submit\// },
      do: { type: 'status', status: 400, code: 'invalid_request', message: `${everybody} **now** https://a.example/` },
    });
    const refused = await (await stage.discord.as('member').slash('imagine', { prompt: 'a fox' })).message();
    expect(isQuiet(refused)).toBe(true);
    expect(literally(text(refused)).replace(/`[^`]*`/g, '')).not.toMatch(/<@|\*\*|(?<!<)https:/);
  });
});

describe('a file that is sent along', () => {
  const names = {
    slashes: 'a/b\\c.png',
    dots: '...png',
    'a way up': '../../etc/passwd.png',
    lines: 'fox\n@everyone\r\nsnow.png',
    '300 letters': `${'fox'.repeat(100)}.png`,
    'quotes and code': '`"\'<@100000000000000001>.png',
    'right to left': 'gnp\u202efox.png',
    nothing: '///',
  };

  it.each(Object.entries(names))(
    'A file that is sent along with a name full of %s reaches the gateway',
    async (_, name) => {
      const stage = await quickBot({ gateway: { speed: 20 } });
      const bytes = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const image = { name, bytes, contentType: 'image/png' };
      const message = await grid(stage, { image });
      expect(orders(stage.gateway)).toMatchObject([
        { body: { base64Array: [expect.stringContaining('data:image/')] } },
      ]);
      expect(isQuiet(message)).toBe(true);
      expect(message.attachments[0]?.filename).toMatch(/^imagine-\w+-1\.png$/);
    },
  );

  it.each(Object.entries(names))(
    'A file that is sent along that is no image, with a name full of %s, is refused by its name, safely',
    async (_, name) => {
      const stage = await quickBot({ gateway: { speed: 20 } });
      const image = { name, bytes: Buffer.from('no picture'), contentType: 'image/png' };
      const refused = await (await stage.discord.as('member').slash('imagine', { prompt: 'a fox', image })).message();
      expect(text(refused)).toMatch(/^`[^`]+` is not a valid image\./);
      expect(isQuiet(refused)).toBe(true);
      expect(orders(stage.gateway)).toEqual([]);
      expect(errorsIn(stage)).toEqual([]);
    },
  );
});
