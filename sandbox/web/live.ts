import type { WebSocket } from 'ws';
import type { EmbeddedDiscord } from '../discord/discord.ts';
import type { MessageChange, StreamEvent } from '../discord/stream.ts';
import type { EmbeddedGateway } from '../gateway/gateway.ts';
import type { Session } from '../gateway/realtime/session.ts';
import { faultsOf, jobOf } from './gateway-side.ts';
import type { BotState, Exchange, LiveEvent, LogLine, Person } from './protocol.ts';
import type { Stage } from './stage.ts';
import { sessionOf } from './talk-side.ts';

/** A page with more unread data is disconnected; it reloads everything when it reconnects. */
const MAX_UNREAD_BYTES = 16 * 1_024 * 1_024;

type SendEvent = (event: LiveEvent) => void;
type Unsubscribe = () => void;

/** Sends one page the events that its user can see, until its socket closes. */
export function streamEvents(socket: WebSocket, person: Person, stage: Stage): void {
  const send: SendEvent = (event) => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) return socket.terminate();
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
  };
  const { discord, gateway } = stage;
  const unsubscribers = [
    discord.listen((event) => {
      const liveEvent = discordEvent(event, person, discord);
      if (liveEvent) send(liveEvent);
    }),
    followBot(stage, send),
    followTraffic(stage, send),
    ...(gateway.kind === 'embedded'
      ? [followJobs(gateway.embedded, send), followTalk(gateway.embedded, send), followFaults(stage, send)]
      : []),
  ];
  socket.on('close', () => {
    for (const stop of unsubscribers.splice(0)) stop();
  });
  socket.on('error', () => socket.terminate());
}

function discordEvent({ kind, what }: StreamEvent, person: Person, discord: EmbeddedDiscord): LiveEvent | undefined {
  if (kind === 'world') return { is: 'world' };
  if (kind === 'typing') {
    const { channel } = what as { channel: string };
    return discord.clientView(person.id).canSee(channel) ? { is: 'typing', channel } : undefined;
  }
  if (kind !== 'message') return undefined;
  const { change, message, viewer, channel_id: channel } = what as MessageChange;
  const view = discord.clientView(person.id);
  if ((viewer !== null && viewer !== person.id) || !view.canSee(channel)) return undefined;
  if (change === 'delete') return { is: 'message-gone', channel, id: message.id };
  const visible = view.message(message.id);
  return visible && { is: 'message', channel, message: visible };
}

function followBot({ bot }: Stage, send: SendEvent): Unsubscribe {
  const onState = (state: BotState): void => send({ is: 'bot', bot: state });
  const onLine = (line: LogLine): void => send({ is: 'log', line });
  bot.on('state', onState).on('line', onLine);
  return () => bot.off('state', onState).off('line', onLine);
}

function followTraffic({ traffic }: Stage, send: SendEvent): Unsubscribe {
  const onExchange = (exchange: Exchange): void => send({ is: 'exchange', exchange });
  traffic.on('exchange', onExchange);
  return () => traffic.off('exchange', onExchange);
}

function followJobs(gateway: EmbeddedGateway, send: SendEvent): Unsubscribe {
  const onJob = (id: string): void => {
    const job = gateway.jobs.get(id);
    if (job) send({ is: 'job', job: jobOf(job, gateway) });
  };
  const onChange = ({ id }: { id: string }): void => onJob(id);
  gateway.jobs.on('change', onChange);
  gateway.tally.on('change', onJob);
  return () => {
    gateway.jobs.off('change', onChange);
    gateway.tally.off('change', onJob);
  };
}

function followTalk({ realtime }: EmbeddedGateway, send: SendEvent): Unsubscribe {
  const onSession = (session: Session): void => send({ is: 'session', session: sessionOf(session) });
  const onClose = ({ id }: Session): void => send({ is: 'session-gone', id });
  realtime.on('open', onSession).on('change', onSession).on('close', onClose);
  return () => realtime.off('open', onSession).off('change', onSession).off('close', onClose);
}

/** Sends the list of faults whenever it changes, which includes the moment at which a fault is applied. */
function followFaults({ gateway, troubles }: Stage, send: SendEvent): Unsubscribe {
  if (gateway.kind === 'real') return () => undefined;
  const { embedded } = gateway;
  const onFaults = (): void => {
    const { isDown: down, settings } = embedded;
    const { speed, quirks } = settings;
    send({ is: 'faults', faults: faultsOf(embedded), down, speed, dialect: quirks.realtimeDialect });
  };
  embedded.faults.on('change', onFaults);
  troubles.on('made', onFaults);
  return () => {
    embedded.faults.off('change', onFaults);
    troubles.off('made', onFaults);
  };
}
