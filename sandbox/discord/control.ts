import { namedPlugin } from '../named-plugin.ts';
import { performAction } from './actions.ts';
import { guard } from './control/guard.ts';
import { messageOf } from './exchange.ts';
import type { Parts, Routes } from './parts.ts';
import { channelPayload } from './wire/channel.ts';

const CONTROL_PREFIX = '/_sandbox';

/** Control routes of the embedded Discord, for programs and pages on this machine. */
export const controlRoutes: Routes = (server, parts) => {
  server.register(
    namedPlugin('control', (control, _, done) => {
      guard(control, parts);
      control.get('/state', () => state(parts));
      control.get<{ Params: { channel: string }; Querystring: { as?: string } }>('/messages/:channel', (request) => {
        const { channel } = request.params;
        const viewer = request.query.as === undefined ? undefined : parts.world.user(request.query.as).id;
        const posts = parts.messages.listInChannel(parts.world.channel(channel).id);
        return posts
          .filter((post) => viewer === undefined || post.viewer === undefined || post.viewer === viewer)
          .map((post) => messageOf(post, parts, viewer));
      });
      control.get('/heard', () => parts.requestLog.entries);
      control.post('/act', (request) => performAction(request.body, parts));
      control.get('/stream', { websocket: true }, (socket) => {
        const stop = parts.stream.listen((event) => socket.send(JSON.stringify(event)));
        socket.on('close', stop);
        socket.on('error', () => socket.terminate());
      });
      done();
    }),
    { prefix: CONTROL_PREFIX },
  );
};

function state({ world, registry, hub, validator, buckets }: Parts) {
  const guilds = [...world.guilds.values()].map((guild) => ({
    id: guild.id,
    name: guild.name,
    installed: guild.installed,
    members: [...guild.members.keys()],
    channels: guild.channels.map((channel) => channelPayload(channel, world)),
    commands: registry.list(guild.id),
  }));
  return {
    applicationId: world.applicationId,
    users: [...world.users.values()],
    guilds,
    direct: [...world.channels.values()]
      .filter(({ recipientIds }) => recipientIds)
      .map((channel) => channelPayload(channel, world)),
    commands: registry.list(undefined),
    gateway: { sessions: hub.connectedCount, identifies: hub.identifies, resumes: hub.resumes },
    violations: validator.violations,
    rateLimited: buckets.hits,
  };
}
