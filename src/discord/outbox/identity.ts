import type { REST } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { reachDiscord } from '../reach.ts';

/** The ids of the bot's user and application, which are known once it has connected to Discord. */
export interface Identity {
  userId?: string;
  applicationId?: string;
}

const identifiedShape = z.object({ id: z.string() });

/** For a process that has no connection of its own. */
export async function loadIdentity({ rest, identity }: { rest: REST; identity: Identity }, token: string) {
  rest.setToken(token);
  const [user, application] = await reachDiscord(
    Promise.all([rest.get(Routes.user()), rest.get(Routes.currentApplication())]),
  );
  identity.userId = identifiedShape.parse(user).id;
  identity.applicationId = identifiedShape.parse(application).id;
}
