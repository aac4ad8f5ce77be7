import { type APIApplication, ApplicationFlags, type REST, Routes } from 'discord.js';
import { factsOf } from './delivery/errors.ts';

/** Discord does not let this bot read messages, though its operator wants it to. */
export class MissingIntent extends Error {
  override readonly name = 'MissingIntent';
}

const ALLOWED = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Asked before the login, which would end in an error that says nothing an operator could act upon. */
export async function mustReadMessages(
  rest: Pick<REST, 'get'>,
  token: string,
  log: { warn(facts: object, sentence: string): void },
): Promise<void> {
  let application: APIApplication;
  try {
    const headers = { authorization: `Bot ${token}` };
    application = (await rest.get(Routes.currentApplication(), { auth: false, headers })) as APIApplication;
  } catch (error) {
    // Whatever is wrong with the token or the way to Discord, the login says it better.
    log.warn(factsOf(error), 'Discord did not say whether this bot may read messages.');
    return;
  }
  if (((application.flags ?? 0) & ALLOWED) === 0) throw new MissingIntent('Message content is not switched on.');
}
