import { truncated } from '../api-error.ts';
import { catalogue } from '../catalogue.ts';
import type { Body } from '../wire/view.ts';
import { unreadableEventError } from './client-socket.ts';
import { EventError, errorEvent } from './event-error.ts';
import { type Item, itemBody } from './item.ts';
import { addedEvents } from './reply-events.ts';
import type { ClientEvent } from './requests/events.ts';
import type { NewItem } from './requests/item.ts';
import { parseEvent } from './requests/parse.ts';
import type { SessionRequest } from './requests/session.ts';
import type { Session } from './session.ts';
import { commitInput, detectSpeech } from './speech.ts';
import { voiceChangeError } from './turns.ts';

const MAX_RECEIVED_EVENTS = 1_000;
const MAX_TEXT_LENGTH = 4_096;

/** Processes a client's event; `undefined` stands for an event that could not be parsed. */
export function processEvent(received: unknown, session: Session): void {
  const { receivedEvents, client } = session;
  // Drops events that were still in transit when the session ended.
  if (session.isOver) return;
  receivedEvents.push(shorten(received));
  if (receivedEvents.length > MAX_RECEIVED_EVENTS) receivedEvents.shift();
  try {
    if (received === undefined) throw unreadableEventError();
    applyEvent(parseEvent(received, session.dialect), session);
  } catch (error) {
    if (!(error instanceof EventError)) throw error;
    const { event_id: eventId } = (received ?? {}) as { event_id?: unknown };
    client.send(errorEvent(error.message, error.detail, typeof eventId === 'string' ? eventId : null));
  }
}

function shorten(received: unknown): unknown {
  const text = JSON.stringify(received, (_, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH ? `(${value.length} characters)` : value,
  );
  return text === undefined ? undefined : JSON.parse(text);
}

/** Applies a client's event to a session; throws an `EventError` if it cannot be applied. */
function applyEvent(event: ClientEvent, session: Session): void {
  const { conversation, buffer, client, turns } = session;
  switch (event.type) {
    case 'session.update':
      updateSession(event.session, session);
      break;
    case 'input_audio_buffer.append':
      detectSpeech(buffer.append(event.audio), session);
      break;
    case 'input_audio_buffer.commit':
      session.detector.reset();
      commitInput(session, session.createId('item'));
      break;
    case 'input_audio_buffer.clear':
      buffer.clear();
      session.detector.reset();
      client.send({ type: 'input_audio_buffer.cleared' });
      break;
    case 'output_audio_buffer.clear':
      client.send({ type: 'output_audio_buffer.cleared' });
      break;
    case 'conversation.item.create':
      createItem(event.item, event.previous_item_id ?? undefined, session);
      break;
    case 'conversation.item.truncate': {
      const { item_id, content_index, audio_end_ms } = event;
      conversation.truncate(item_id, content_index, audio_end_ms);
      client.send({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms });
      break;
    }
    case 'conversation.item.delete':
      conversation.delete(event.item_id);
      client.send({ type: 'conversation.item.deleted', item_id: event.item_id });
      break;
    case 'conversation.item.retrieve': {
      const item: Body = itemBody(conversation.retrieve(event.item_id), session.dialect);
      client.send({ type: 'conversation.item.retrieved', item });
      break;
    }
    case 'response.create':
      turns.respond(event.response);
      break;
    case 'response.cancel':
      turns.cancel(event.response_id);
      break;
  }
}

function updateSession({ model, settings: changes }: SessionRequest, session: Session): void {
  if (model !== undefined && model !== session.model.id) {
    throw new EventError('The model of a session cannot be changed.', {
      code: 'cannot_update_model',
      param: 'session.model',
    });
  }
  const settings = { ...session.settings, ...changes };
  if (session.turns.hasSpoken && settings.voice !== session.settings.voice)
    throw voiceChangeError('session', session.dialect);
  const requestsTranscripts = Boolean(changes.transcription);
  const fault = session.faultAt('settings', requestsTranscripts);
  if (requestsTranscripts) checkTranscriber(changes.transcription?.model, fault?.how === 'refuse-transcriber', session);
  session.settings = settings;
  session.client.send({ type: 'session.updated', session: session.body });
  if (fault?.how === 'drop-updated') session.cut();
}

function checkTranscriber(id: unknown, isRefused: boolean, { dialect }: Session): void {
  const transcribers = isRefused ? [] : catalogue.filter(({ ability }) => ability === 'transcription');
  if (transcribers.some((model) => model.id === id)) return;
  const names = transcribers.map((model) => `'${model.id}'`).join(', ') || 'none at present';
  throw new EventError(`Invalid value: '${truncated(String(id))}'. Supported values are: ${names}.`, {
    code: 'invalid_value',
    param: `session.${dialect === 'ga' ? 'audio.input.transcription' : 'input_audio_transcription'}.model`,
  });
}

function createItem({ id, ...received }: NewItem, previousId: string | undefined, session: Session): void {
  const { conversation, dialect, client } = session;
  if (received.type === 'function_call_output') {
    const { callId } = received;
    const isKnown = conversation.items.some((item) => item.type === 'function_call' && item.callId === callId);
    if (!isKnown) {
      throw new EventError(`Tool call ID '${truncated(callId)}' not found in conversation.`, {
        code: 'invalid_tool_call_id',
        param: 'item.call_id',
      });
    }
  }
  const item: Item = { ...received, id: id ?? session.createId('item'), status: 'completed' };
  const previousItemId = conversation.add(item, previousId);
  for (const event of addedEvents(item, previousItemId, dialect)) client.send(event);
}
