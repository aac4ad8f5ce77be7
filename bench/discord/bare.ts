import { Client, Events, GatewayIntentBits, type Interaction, MessageFlags } from 'discord.js';
import type { BareVariant } from './discord-harness.ts';

/** The baseline for the shipped bot: the shortest program that replies, made with plain discord.js. */

const { DISCORD_TOKEN: token = '', DISCORD_API_URL: api = '' } = process.env;
const variant = process.env.BARE_WAY as BareVariant;

const client = new Client({
  intents: variant === 'guilds' ? [GatewayIntentBits.Guilds] : [],
  rest: { api, version: '10', ...(variant === 'eager' && { globalRequestsPerSecond: Number.MAX_SAFE_INTEGER }) },
});
client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
await client.login(token);

async function answer(interaction: Interaction): Promise<void> {
  if (!interaction.isChatInputCommand()) return;
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  await interaction.editReply('These are the models.');
}
