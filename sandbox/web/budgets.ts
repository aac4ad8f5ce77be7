import type { EmbeddedDiscord } from '../discord/discord.ts';

/** What the owner of the server `elsewhere` sets, so that every refusal about money can be seen. */
const SETTINGS = [
  { limits: '$2 a day, 40 tasks a day, video: 2 tasks a day' },
  { limits: '$0.60 a day, 2 at once, 5 waiting', for: 'members' },
  { confirm_above: '$0.04', show_cost: true },
];

/** Sets budgets with the commands that an admin uses. */
export async function setBudgets(discord: EmbeddedDiscord): Promise<void> {
  const { world } = discord;
  const hall = world.guild('elsewhere').channels[0]?.id;
  for (const options of SETTINGS)
    await discord.perform({ as: world.user('owner').id, in: hall, do: 'slash', name: 'budget set', options });
}
