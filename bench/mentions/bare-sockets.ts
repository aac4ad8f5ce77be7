import { REST } from '@discordjs/rest';
import { WebSocketManager } from '@discordjs/ws';
import { GatewayIntentBits } from 'discord.js';

/** The baseline: the same connection and intents as the bot's, and nothing that reads what arrives. */

const { DISCORD_TOKEN: token = '', DISCORD_API_URL: api = '' } = process.env;

const manager = new WebSocketManager({
  token,
  intents: GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages,
  rest: new REST({ api, version: '10' }).setToken(token),
});
await manager.connect();
