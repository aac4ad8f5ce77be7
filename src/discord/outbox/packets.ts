import { type APIInteraction, type Client, Events, type Interaction } from 'discord.js';

interface PacketActions {
  InteractionCreate: { handle(data: APIInteraction): void };
}

/**
 * The discord.js object for an interaction that another process has received. discord.js creates it and emits it synchronously.
 * Undefined for an interaction of a type that discord.js does not know.
 */
export function interactionIn(client: Client, data: APIInteraction): Interaction | undefined {
  let capturedInteraction: Interaction | undefined;
  const capture = (interaction: Interaction): void => {
    capturedInteraction = interaction;
  };
  client.once(Events.InteractionCreate, capture);
  try {
    (Reflect.get(client, 'actions') as PacketActions).InteractionCreate.handle(data);
  } finally {
    client.off(Events.InteractionCreate, capture);
  }
  return capturedInteraction;
}
