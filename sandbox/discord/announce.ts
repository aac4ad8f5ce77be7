import { GatewayIntentBits, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { MessageChangeKind } from './message-store.ts';
import type { Parts } from './parts.ts';
import { botPermissions, hasPermissions } from './permissions.ts';
import type { Post } from './post.ts';
import { messageIntent } from './socket/intents.ts';
import type { MessageChange } from './stream.ts';
import { memberPayload } from './wire/user.ts';

type Dependencies = Pick<Parts, 'world' | 'hub' | 'stream' | 'watch' | 'apiMessage' | 'applicationMessage' | 'threads'>;

/** Reports a changed message to the sessions, the page and pending waits. */
export function messageAnnouncer(dependencies: Dependencies) {
  const { world, hub, stream, watch, threads } = dependencies;
  return (post: Post, change: MessageChangeKind): void => {
    threads.onMessage(post, change);
    const { channel, viewer } = post;
    const { guildId } = channel;
    const channelFields = { channel_id: channel.id, ...(guildId !== undefined && { guild_id: guildId }) };
    const messageChange = {
      change,
      message: dependencies.apiMessage(post),
      viewer: viewer ?? null,
      edited: post.editedAt !== undefined,
      ...channelFields,
    };
    stream.publish({ kind: 'message', what: messageChange satisfies MessageChange });
    // The gateway sends no events for ephemeral messages, nor for channels that the bot cannot view.
    const guild = world.guildOf(channel);
    const isDispatched =
      change !== 'age' &&
      viewer === undefined &&
      hasPermissions(botPermissions(channel, { world }), Permission.ViewChannel);
    if (isDispatched) {
      const member = guild?.members.get(post.author.id);
      const eventFields = { ...channelFields, ...(member && { member: memberPayload(member) }) };
      const event = `MESSAGE_${change.toUpperCase()}`;
      const data = (intents: number) =>
        change === 'delete'
          ? { id: post.id, ...channelFields }
          : {
              ...dependencies.applicationMessage(post, (intents & GatewayIntentBits.MessageContent) !== 0),
              ...eventFields,
              channel_type: channel.type,
            };
      hub.dispatch(event, ({ intents }) => data(intents), { intent: messageIntent(guildId), guildId });
    }
    watch.notify();
  };
}
