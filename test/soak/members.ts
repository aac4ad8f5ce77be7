import { type APIMessage, ComponentType } from 'discord-api-types/v10';
import type { Actor } from '../../sandbox/discord/actor.ts';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Exchange } from '../../sandbox/discord/exchange.ts';
import type { MessageChange } from '../../sandbox/discord/stream.ts';
import { type Random, randomOf } from '../../sandbox/gateway/random.ts';
import { orderKinds } from '../chaos/kinds.ts';
import type { Request } from '../chaos/plan.ts';
import { anyOf } from '../chaos/troubles.ts';

const { action: _, ...commands } = orderKinds;
/** What members do in turn: each kind of order, presses of buttons, batches, prompts and conversations. */
const deeds = [
  ...(Object.keys(commands) as (keyof typeof commands)[]),
  ...(['press', 'imagine', 'press', 'batch', 'press', 'prompt', 'press', 'talk'] as const),
];

/** A button is pressed under one of so many of the newest messages. */
const MAX_RECENT_MESSAGES = 200;

interface PressableMessage {
  id: string;
  memberId: string;
  buttons: readonly string[];
}

/** Members who never repeat a request, whatever fails: a soak judges what is left behind, not the results. */
export class SoakMembers {
  /** Requests that the bot acknowledged in time. */
  acceptedCount = 0;
  readonly #discord: EmbeddedDiscord;
  readonly #random: Random;
  readonly #recentMessages = new Map<string, PressableMessage>();
  #requestCount = 0;

  constructor(discord: EmbeddedDiscord, seed: number) {
    this.#discord = discord;
    this.#random = randomOf(seed);
    discord.listen(({ kind, what }) => {
      if (kind === 'message') this.#remember(what as MessageChange);
    });
  }

  /** Throws if a fault prevents any part of it. */
  async makeRequest({ who, where, isPrivate }: Request): Promise<void> {
    const number = this.#requestCount++;
    const deed = deeds[number % deeds.length] ?? 'imagine';
    const member = this.#discord.as(who).in(deed === 'talk' ? 'studio' : where);
    const word = `q${number}x`;
    const prompt = `a fox ${word}`;
    const accept = async (pendingExchange: Promise<Exchange>): Promise<Exchange> => {
      const exchange = await pendingExchange;
      await exchange.acknowledged();
      this.acceptedCount += 1;
      return exchange;
    };
    if (deed === 'press') await accept(this.#pressAny());
    else if (deed === 'batch') {
      const question = await accept(member.slash('imagine', { prompt: `${prompt} in {snow, rain}` }));
      await accept(member.click(await question.ephemeral(hasButton('Run all 2')), 'Run all 2'));
    } else if (deed === 'prompt') await accept(member.slash('prompt improve', { prompt }));
    else if (deed === 'talk')
      await this.#talk(await accept(member.slash('talk start', { instructions: word })), member);
    else await accept(commands[deed].runCommand(member, { prompt, word, isPrivate }));
  }

  /** Half of the conversations are left to end by themselves. */
  async #talk(exchange: Exchange, member: Actor): Promise<void> {
    const [, thread = ''] = /<#(\d+)>/.exec((await exchange.message()).content) ?? [];
    const opening = await this.#discord.until(() => this.#discord.messages(thread).find(hasButton('Speak')));
    const form = await (await member.click(opening, 'Speak')).modal();
    const reply = await member.fill(form, { words: 'tell me of the snow, 20 words' });
    await reply.message(hasButton('Delete'));
    if (this.#random.next() < 0.5) await (await member.click(opening, 'End')).acknowledged();
  }

  async #pressAny(): Promise<Exchange> {
    const { id, memberId, buttons } = anyOf([...this.#recentMessages.values()], this.#random);
    const name = this.#discord.world.users.get(memberId)?.name ?? 'member';
    return this.#discord.as(name).click({ id }, anyOf(buttons, this.#random));
  }

  #remember({ change, message, viewer }: MessageChange): void {
    const buttons = change === 'delete' ? [] : buttonsOf(message).map((button) => button.custom_id);
    this.#recentMessages.delete(message.id);
    if (buttons.length === 0) return;
    const memberId = viewer ?? message.interaction_metadata?.user.id ?? '';
    this.#recentMessages.set(message.id, { id: message.id, memberId, buttons });
    const [oldest = ''] = this.#recentMessages.keys();
    if (this.#recentMessages.size > MAX_RECENT_MESSAGES) this.#recentMessages.delete(oldest);
  }
}

const buttonsOf = ({ components = [] }: APIMessage) =>
  components
    .flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .flatMap((one) => (one.type === ComponentType.Button && 'custom_id' in one && !one.disabled ? [one] : []));

const hasButton =
  (label: string) =>
  (message: APIMessage): boolean =>
    buttonsOf(message).some((button) => 'label' in button && button.label === label);
