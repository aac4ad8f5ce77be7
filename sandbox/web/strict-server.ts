import type { EmbeddedDiscord } from '../discord/discord.ts';
import type { BotGateway } from './gateway-side.ts';

/** Budgets that make it possible to try every budget refusal. */
const BUDGETS = [
  { limits: '$2 a day, 40 tasks a day, video: 2 tasks a day' },
  { limits: '$0.60 a day, 2 at once, 5 waiting', for: 'members' },
  { confirm_above: '$0.04', show_cost: true },
];

/** Rules that make it possible to try every refusal by a rule, keyed by the button of `/server rules`. */
const RULES = {
  'Change words': { words: 'casino\nfree money\n[video] gore', patterns: 'b[aeiou]d\\s?guy', longestPrompt: '1000' },
  'Change links': { deniedDomains: 'evil.example' },
  'Change buttons and privacy': { pressers: 'requester' },
  'Change log channel': { logChannel: ['log'] },
};

/** The embedded gateway has a moderation endpoint; a real one may not. */
const MODERATION = {
  'Change moderation': { prompts: 'refuse', references: 'refuse', results: 'hold', unseen: 'show', whenAway: 'refuse' },
  'Change categories': { thresholds: 'violence 0.4', ageRestricted: 'channels' },
};

/** Sets budgets and rules of the server `elsewhere` with the commands and forms that an admin uses. */
export async function setUpStrictServer(discord: EmbeddedDiscord, gateway: BotGateway): Promise<void> {
  const owner = discord.as('owner').in('elsewhere/hall');
  for (const options of BUDGETS) await (await owner.slash('budget set', options)).message();
  const sections = { ...RULES, ...(gateway.kind === 'embedded' && MODERATION) };
  let page = await (await owner.slash('server rules')).message();
  // Each form updates the page that opened it. That page then opens the next form, because the command is rate-limited.
  for (const [button, values] of Object.entries(sections)) {
    const form = await (await owner.click(page, button)).modal();
    page = await (await owner.fill(form, values)).message();
  }
}
