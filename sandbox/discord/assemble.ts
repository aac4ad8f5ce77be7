import { systemClock } from '../../src/lib/clock.ts';
import { announcer } from './announce.ts';
import { Buckets } from './buckets.ts';
import { createWorld } from './create-world.ts';
import { FaultBook } from './faults.ts';
import { InteractionBook } from './interactions/interaction-book.ts';
import { discordLimits } from './limits.ts';
import { MessageBook } from './messages.ts';
import type { DiscordOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { Registry } from './registry.ts';
import { RequestLog } from './request-log.ts';
import { snowflakes } from './snowflake.ts';
import { Hub } from './socket/hub.ts';
import { Stream } from './stream.ts';
import { Threads } from './threads.ts';
import { Uploads } from './uploads.ts';
import { Validator } from './validator.ts';
import { Watch } from './watch.ts';
import { messageWire } from './wire/message.ts';

/** Creates and connects the modules of one embedded Discord. */
export function partsOf(options: DiscordOptions, token: string, url: () => string): Parts {
  const { clock = systemClock, privilegedIntents = [], followUpAfterDeletion = true, guilds = 0 } = options;
  const limits = { ...discordLimits, ...options.limits };
  const now = () => clock.now();
  const id = snowflakes(now);
  const world = createWorld(id, now(), guilds);
  const watch = new Watch();
  const stream = new Stream();
  const hub = new Hub((event, what) => stream.tell({ kind: 'gateway', what: { event, data: what } }));
  const uploads = new Uploads(id, now, () => limits.attachmentLinkMs, url);
  const wire: Parts['wire'] = (post) => messageWire(post, { world, uploads, find: (one) => messages.get(one) });
  const threads = new Threads({ world, hub, stream, watch, now });
  const onChange = announcer({ world, hub, stream, watch, wire, threads });
  const messages = new MessageBook({ id, now, uploads, onChange });
  return {
    clock,
    id,
    token,
    limits,
    privilegedIntents,
    followUpAfterDeletion,
    world,
    registry: new Registry(world.applicationId, id, now, limits),
    messages,
    threads,
    uploads,
    interactions: new InteractionBook(clock, limits, id, watch),
    hub,
    buckets: new Buckets(limits, clock),
    faults: new FaultBook(),
    heard: new RequestLog((what) => stream.tell({ kind: 'heard', what })),
    validator: new Validator(now),
    stream,
    watch,
    wire,
    url,
    gatewayUrl: () => `${url().replace(/^http/, 'ws')}/gateway`,
  };
}
