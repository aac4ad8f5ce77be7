import { z } from 'zod';

/** Interactions are handled as soon as they are heard; before the library is ready it keeps some of them back. */
const MOST_REMEMBERED = 1_000;

const made = z.object({
  t: z.literal('INTERACTION_CREATE'),
  d: z.object({ id: z.string(), channel: z.object({ type: z.number() }) }),
});

/** In what kind of channel interactions are made. The payload says it, and the library tells it only of servers that it keeps in memory. */
export class Whereabouts {
  readonly #types = new Map<string, number>();

  hear(packet: unknown): void {
    const { d: interaction } = made.safeParse(packet).data ?? {};
    if (!interaction) return;
    this.#types.set(interaction.id, interaction.channel.type);
    const [oldest] = this.#types.keys();
    if (this.#types.size > MOST_REMEMBERED && oldest !== undefined) this.#types.delete(oldest);
  }

  channelTypeOf(interactionId: string): number | undefined {
    return this.#types.get(interactionId);
  }
}
