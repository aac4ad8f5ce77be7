import type { Actor } from '../discord/actor.ts';
import type { EmbeddedDiscord } from '../discord/discord.ts';
import type { GatewaySide } from './gateway-side.ts';

/** So that every refusal about money can be seen. */
const BUDGETS = [
  { limits: '$2 a day, 40 tasks a day, video: 2 tasks a day' },
  { limits: '$0.60 a day, 2 at once, 5 waiting', for: 'members' },
  { confirm_above: '$0.04', show_cost: true },
];

/** So that every refusal by a rule can be seen: by button of `/server rules`. */
const RULES = {
  'Change words': { words: 'casino\nfree money\n[video] gore', patterns: 'b[aeiou]d\\s?guy', longestPrompt: '1000' },
  'Change links': { deniedDomains: 'evil.example' },
  'Change buttons and privacy': { pressers: 'requester' },
  'Change log channel': { logChannel: ['log'] },
};

/** The embedded gateway serves it; a real one may not. */
const MODERATION = {
  'Change moderation': {
    ...{ prompts: 'refuse', references: 'refuse', results: 'hold', unseen: 'show', whenAway: 'refuse' },
  },
  'Change categories': { thresholds: 'violence 0.4', ageRestricted: 'channels' },
};

/** Sets budgets and rules of the server `elsewhere` with the commands and forms that an admin uses. */
export async function setUpStrictServer(discord: EmbeddedDiscord, gateway: GatewaySide): Promise<void> {
  const owner = discord.as('owner').in('elsewhere/hall');
  for (const options of BUDGETS) await (await owner.slash('budget set', options)).message();
  for (const [button, values] of Object.entries(RULES)) await fillIn(owner, button, values);
  if (gateway.kind !== 'embedded') return;
  for (const [button, values] of Object.entries(MODERATION)) await fillIn(owner, button, values);
}

async function fillIn(owner: Actor, button: string, values: Parameters<Actor['fill']>[1]): Promise<void> {
  const page = await (await owner.slash('server rules')).message();
  const form = await (await owner.click(page, button)).modal();
  await (await owner.fill(form, values)).message();
}
