import { fileFactsOf } from '../body.ts';
import type { Interaction } from '../interactions/interaction.ts';
import { editFacts, followUp } from '../interactions/respond.ts';
import type { Parts, Routes } from '../parts.ts';
import type { MessageBody, Post } from '../post.ts';
import { unknownMessage, unknownWebhook } from '../refusal.ts';
import { isVoice } from '../validation/voice.ts';
import { checkThreadState } from './access.ts';
import { checkFileSizes } from './file-sizes.ts';
import { checkVoice } from './voice.ts';

interface Webhook {
  Params: { application: string; token: string };
}
interface WebhookMessage {
  Params: { application: string; token: string; message: string };
}

/** Webhook routes of an interaction, authenticated by its token (documentation, "Followup Messages"). */
export const webhookRoutes: Routes = (server, parts) => {
  const { validator, messages, applicationMessage } = parts;
  const messageRoute = '/webhooks/:application/:token/messages/:message';
  const webhookRoute = '/webhooks/:application/:token';
  const interactionOf = ({ application, token }: Webhook['Params']) => {
    const interaction = parts.interactions.findAcknowledged(application, token, parts.world.applicationId);
    // Deleting a channel also deletes its webhooks, including those of interactions.
    if (!parts.world.channels.has(interaction.channel.id)) throw unknownWebhook();
    return interaction;
  };

  server.post<Webhook>(webhookRoute, (request) => {
    const interaction = interactionOf(request.params);
    const { body, files } = request.payload;
    if (isVoice((body as Partial<MessageBody> | undefined)?.flags)) checkVoice(interaction.channel, parts);
    checkFileSizes(files, parts);
    validator.checkBody(webhookRoute, 'webhook-message', body, { files: fileFactsOf(files) });
    return validator.checkResponse(
      'message',
      applicationMessage(followUp(interaction, body as MessageBody, files, parts)),
    );
  });
  server.get<WebhookMessage>(messageRoute, (request) =>
    validator.checkResponse(
      'message',
      applicationMessage(findMessage(interactionOf(request.params), request.params.message, parts)),
    ),
  );
  server.patch<WebhookMessage>(messageRoute, (request) => {
    const interaction = interactionOf(request.params);
    const post = findMessage(interaction, request.params.message, parts);
    checkThreadState(post.channel, 'edit', parts);
    const { body, files } = request.payload;
    checkFileSizes(files, parts);
    validator.checkBody(messageRoute, 'webhook-edit', body, editFacts(post, fileFactsOf(files)));
    messages.edit(post, body as MessageBody, files);
    return validator.checkResponse('message', applicationMessage(post));
  });
  server.delete<WebhookMessage>(messageRoute, (request, reply) => {
    const interaction = interactionOf(request.params);
    const post = findMessage(interaction, request.params.message, parts);
    if (post === interaction.original) interaction.isOriginalDeleted = true;
    messages.remove(post);
    return reply.code(204).send();
  });
};

/** The token gives access only to the interaction's own messages and to the message with its component. */
function findMessage(interaction: Interaction, id: string, { messages }: Parts): Post {
  const { original, followUps, source } = interaction;
  const post =
    id === '@original' ? original : [original, source, ...followUps].find((candidate) => candidate?.id === id);
  if (!post || messages.get(post.id) !== post) throw unknownMessage();
  return post;
}
