import type { EventEmitter } from 'node:events';
import type { EmbeddedDiscord } from '../discord/discord.ts';
import type { BotProcess } from './bot-process.ts';
import type { BotGateway } from './gateway-side.ts';
import type { Traffic } from './traffic.ts';

/** What the page works with: the embedded servers, the bot and its database. */
export interface Stage {
  readonly discord: EmbeddedDiscord;
  readonly gateway: BotGateway;
  readonly bot: BotProcess;
  readonly traffic: Traffic;
  /** The bot's database. */
  readonly storeFile: string;
  /** Emits after a fault was injected or cleared. */
  readonly troubles: EventEmitter<{ made: [] }>;
}
