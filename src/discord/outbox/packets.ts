import { type APIInteraction, type Client, Events, type Interaction } from 'discord.js';

interface PacketActions {
  InteractionCreate: { handle(data: APIInteraction): void };
}

/**
 * The library's object for an interaction that another process has received. The library itself makes it, and announces it before this returns;
 * undefined for interactions of a type that it does not know.
 */
export function interactionIn(client: Client, data: APIInteraction): Interaction | undefined {
  let found: Interaction | undefined;
  const take = (interaction: Interaction): void => {
    found = interaction;
  };
  client.once(Events.InteractionCreate, take);
  try {
    (Reflect.get(client, 'actions') as PacketActions).InteractionCreate.handle(data);
  } finally {
    client.off(Events.InteractionCreate, take);
  }
  return found;
}
