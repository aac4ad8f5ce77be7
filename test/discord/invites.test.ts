import { describe, expect, it } from 'vitest';
import { escapeText } from '../../src/discord/markdown.ts';
import { bodyOf } from '../../src/discord/message-body.ts';

/** Matches invites anywhere in the raw text, as clients do. */
const INVITE_PATTERN =
  /discord(?:app)?(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com\/(?:invite|template|gifts|events|oauth2|activities))/i;

const INVITES = [
  'discord.gg/abcdef',
  'https://discord.gg/abcdef',
  'http://www.discord.gg/invite/abcdef',
  'DISCORD.GG/abcdef',
  'https://discord.com/invite/abcdef',
  'https://discordapp.com/invite/abcdef',
  'https://ptb.discord.com/invite/abcdef',
  'discord.new/abcdef',
  'https://discord.gift/abcdef',
  'https://discord.com/template/abcdef',
  'https://discord.com/events/1/2',
  'https://discord.com/oauth2/authorize?client_id=1',
  'https://discord%2Egg/abcdef',
  'https://discord\u3002gg/abcdef',
  'https://discord.com/channels/1/2/3/../../../../invite/abcdef',
];

const WRAPPERS = [
  (link: string) => link,
  (link: string) => `join <${link}> now`,
  (link: string) => `[an image](${link})`,
  (link: string) => `\`${link}\``,
  (link: string) => `\`\`\`\n${link}\n\`\`\``,
  (link: string) => escapeText(`join ${link} now`, 500),
];

/** Returns the host of each link in a text, as Discord's client finds them. */
const hostsIn = (text: string): string[] =>
  (text.match(/https?:\/\/[^\s<>]+/g) ?? []).map((link) => URL.parse(link)?.hostname ?? '');

describe('An invite link in untrusted text', () => {
  it.each(INVITES)('The invite %s is neither embedded nor followed in any Markdown', (link) => {
    for (const wrap of WRAPPERS) {
      const { content = '' } = bodyOf({ content: wrap(link) }).body;
      expect(content).not.toMatch(INVITE_PATTERN);
      expect(hostsIn(content).filter((host) => /discord/.test(host) && host !== 'discord')).toEqual([]);
      expect(content.replaceAll('\ufeff', '')).toBe(wrap(link));
      const [page] = bodyOf({ page: { title: 'x', blocks: [wrap(link)] } }).body.components;
      expect(JSON.stringify(page)).not.toMatch(INVITE_PATTERN);
    }
  });

  it.each([
    'https://discord.com/channels/123456789012345678/123456789012345678/123456789012345678',
    'https://discord.com/channels/@me/123456789012345678',
    'https://cdn.discordapp.com/attachments/1/2/x.png?ex=1',
    'https://example.com/discord/gg',
    'I like discord. It is good.',
    'discord.com',
  ])('Text that is not an invite is left unchanged: %s', (text) => {
    expect(bodyOf({ content: text }).body.content).toBe(text);
  });
});
