import { InteractionResponseType, MessageFlags } from 'discord-api-types/v10';
import { factsOf } from '../body.ts';
import { answer, type CallbackBody, factsOfEdit } from '../interactions/answer.ts';
import type { Interaction } from '../interactions/interaction.ts';
import type { Parts, Routes } from '../parts.ts';
import { isVoice } from '../validation/voice.ts';
import { checkSizes } from './sizes.ts';
import { checkVoice } from './voice.ts';

interface Callback {
  Params: { interaction: string; token: string };
  Querystring: { with_response?: string };
}

/** Documentation, interactions/receiving-and-responding, "Create Interaction Response". */
export const callbackRoutes: Routes = (server, parts) => {
  const route = '/interactions/:interaction/:token/callback';
  server.post<Callback>(route, (request, reply) => {
    const { interaction: id, token } = request.params;
    const interaction = parts.interactions.findPending(id, token);
    const { body, files } = request.sent;
    const { data } = (body ?? {}) as Partial<CallbackBody>;
    if (isVoice(data?.flags)) checkVoice(interaction.channel, parts);
    checkSizes(files, parts);
    parts.validator.body(route, 'callback', body, factsOfEdit(edited(interaction, body), factsOf(files)));
    answer(interaction, body as CallbackBody, files, parts);
    if (request.query.with_response !== 'true') return reply.code(204).send();
    return parts.validator.response('callback', answerOf(interaction, parts));
  });
};

/** Only an update edits the message with the component; other responses create a new message. */
const edited = ({ source }: Interaction, body: unknown) =>
  (body as Partial<CallbackBody> | undefined)?.type === InteractionResponseType.UpdateMessage ? source : undefined;

function answerOf(interaction: Interaction, { messages, wire }: Parts) {
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
    resource: { type: acknowledgement?.type, ...(message && { message: wire(message) }) },
  };
}
