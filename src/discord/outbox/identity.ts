import { type Client, ClientApplication, ClientUser, Routes } from 'discord.js';
import { reachDiscord } from '../reach.ts';

/** Tells the library who the bot is. The client of a worker never logs in, because another process receives the interactions. */
export async function loadIdentity(client: Client, token: string): Promise<void> {
  client.rest.setToken(token);
  const [user, application] = await reachDiscord(
    Promise.all([client.rest.get(Routes.user()), client.rest.get(Routes.currentApplication())]),
  );
  client.user = Reflect.construct(ClientUser, [client, user]);
  client.application = Reflect.construct(ClientApplication, [client, application]);
}
