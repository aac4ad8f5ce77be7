import { machineClock } from '../clock.ts';
import { messageAnnouncer } from './announce.ts';
import { Buckets } from './buckets.ts';
import { CommandRegistry } from './command-registry.ts';
import { createWorld } from './create-world.ts';
import { FaultQueue } from './faults.ts';
import { InteractionStore } from './interactions/interaction-store.ts';
import { discordLimits } from './limits.ts';
import { MessageStore } from './message-store.ts';
import type { DiscordOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { RequestLog } from './request-log.ts';
import { snowflakes } from './snowflake.ts';
import { Hub } from './socket/hub.ts';
import { SessionStarts } from './socket/session-starts.ts';
import { EventStream } from './stream.ts';
import { Threads } from './threads.ts';
import { Uploads } from './uploads.ts';
import { Validator } from './validator.ts';
import { Watch } from './watch.ts';
import { isReadableWithoutIntent, type MessageSources, messagePayload } from './wire/message.ts';

/** Creates and connects the modules of one embedded Discord. */
export function assembleParts(options: DiscordOptions, token: string, url: () => string): Parts {
  const { clock = machineClock, privilegedIntents = [], followUpAfterDeletion = true, guilds = 0 } = options;
  const { shards = 1, resetsToken = true, commands = [], application = {} } = options;
  const limits = { ...discordLimits, ...options.limits };
  const now = () => clock.now();
  const id = snowflakes(now);
  const world = createWorld(id, now(), guilds);
  const watch = new Watch();
  const stream = new EventStream();
  const hub = new Hub({
    limits,
    clock,
    onEvent: (event, data) => stream.publish({ kind: 'gateway', what: { event, data } }),
  });
  const uploads = new Uploads(id, now, () => limits.attachmentLinkMs, url);
  const sources: MessageSources = { world, uploads, find: (one) => messages.get(one) };
  const apiMessage: Parts['apiMessage'] = (post, viewer) => messagePayload(post, sources, { viewer });
  const hasEnabledContent = privilegedIntents.includes('message-content');
  const applicationMessage: Parts['applicationMessage'] = (post, hasContentIntent = hasEnabledContent) =>
    messagePayload(post, sources, { isReadable: (one) => hasContentIntent || isReadableWithoutIntent(one, world) });
  const threads = new Threads({ world, hub, stream, watch, now });
  const onChange = messageAnnouncer({ world, hub, stream, watch, apiMessage, applicationMessage, threads });
  const registry = new CommandRegistry(world.applicationId, id, now, limits);
  registry.overwrite(undefined, commands);
  const messages = new MessageStore({ id, now, uploads, onChange });
  return {
    clock,
    id,
    token,
    limits,
    privilegedIntents,
    followUpAfterDeletion,
    world,
    registry,
    messages,
    threads,
    uploads,
    interactions: new InteractionStore(clock, limits, id, watch),
    account: { recommendedShards: shards, resetsToken, isTokenReset: false },
    application,
    hub,
    sessionStarts: new SessionStarts(limits, clock),
    buckets: new Buckets(limits, clock),
    faults: new FaultQueue(),
    requestLog: new RequestLog((what) => stream.publish({ kind: 'heard', what })),
    validator: new Validator(now),
    stream,
    watch,
    apiMessage,
    applicationMessage,
    url,
    gatewayUrl: () => `${url().replace(/^http/, 'ws')}/gateway`,
    resumeUrl: () => `${url().replace(/^http/, 'ws')}/gateway/resume`,
  };
}
