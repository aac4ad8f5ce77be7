import { InteractionResponseType, MessageFlags } from 'discord-api-types/v10';
import { fileFactsOf } from '../body.ts';
import type { Interaction } from '../interactions/interaction.ts';
import { type CallbackBody, editFacts, respond } from '../interactions/respond.ts';
import type { Parts, Routes } from '../parts.ts';
import { isVoice } from '../validation/voice.ts';
import { checkFileSizes } from './file-sizes.ts';
import { checkVoice } from './voice.ts';

interface Callback {
  Params: { interaction: string; token: string };
  Querystring: { with_response?: string };
}

/** The route for responses to interactions (documentation, interactions/receiving-and-responding, "Create Interaction Response"). */
export const callbackRoutes: Routes = (server, parts) => {
  const route = '/interactions/:interaction/:token/callback';
  server.post<Callback>(route, (request, reply) => {
    const { interaction: id, token } = request.params;
    const interaction = parts.interactions.findPending(id, token);
    const { body, files } = request.payload;
    const { data } = (body ?? {}) as Partial<CallbackBody>;
    if (isVoice(data?.flags)) checkVoice(interaction.channel, parts);
    checkFileSizes(files, parts);
    parts.validator.checkBody(route, 'callback', body, editFacts(editedMessage(interaction, body), fileFactsOf(files)));
    respond(interaction, body as CallbackBody, files, parts);
    if (request.query.with_response !== 'true') return reply.code(204).send();
    return parts.validator.checkResponse('callback', responseOf(interaction, parts));
  });
};

/** Only an update edits the message with the component; other responses create a new message. */
const editedMessage = ({ source }: Interaction, body: unknown) =>
  (body as Partial<CallbackBody> | undefined)?.type === InteractionResponseType.UpdateMessage ? source : undefined;

function responseOf(interaction: Interaction, { messages, applicationMessage }: Parts) {
  const { original, acknowledgement } = interaction;
  const message = original && messages.get(original.id);
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message && {
        response_message_id: message.id,
        response_message_loading: (message.flags & MessageFlags.Loading) !== 0,
        response_message_ephemeral: message.viewer !== undefined,
        channel_id: message.channel.id,
        ...(message.channel.guildId !== undefined && { guild_id: message.channel.guildId }),
      }),
    },
    resource: { type: acknowledgement?.type, ...(message && { message: applicationMessage(message) }) },
  };
}
