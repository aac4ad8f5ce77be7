import { catalogue } from '../catalogue.ts';
import { shown } from '../refusal.ts';
import type { Body } from '../wire/view.ts';
import { type Item, itemBody } from './item.ts';
import { unreadable } from './line.ts';
import { EventRefusal, errorEvent } from './refusal.ts';
import { addedEvents } from './reply-events.ts';
import type { ClientEvent } from './requests/events.ts';
import type { GivenItem } from './requests/item.ts';
import { readEvent } from './requests/read.ts';
import type { SessionRequest } from './requests/session.ts';
import type { Session } from './session.ts';
import { commit, listen } from './speech.ts';
import { voiceIsSet } from './turns.ts';

const MOST_KEPT = 1_000;
const LONGEST_KEPT = 4_096;

/** Anything that the client sends. */
export function hear(given: unknown, session: Session): void {
  const { heard, line } = session;
  // The session has ended, so events that were on their way are dropped.
  if (session.isOver) return;
  heard.push(shortened(given));
  if (heard.length > MOST_KEPT) heard.shift();
  try {
    if (given === undefined) throw unreadable();
    carryOut(readEvent(given, session.dialect), session);
  } catch (problem) {
    if (!(problem instanceof EventRefusal)) throw problem;
    const { event_id: about } = (given ?? {}) as { event_id?: unknown };
    line.tell(errorEvent(problem.message, problem.trouble, typeof about === 'string' ? about : null));
  }
}

function shortened(given: unknown): unknown {
  const text = JSON.stringify(given, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_KEPT ? `(${value.length} characters)` : value,
  );
  return text === undefined ? undefined : JSON.parse(text);
}

/** What a client's event does to a session; what cannot be done is thrown as a refusal. */
function carryOut(event: ClientEvent, session: Session): void {
  const { conversation, buffer, line, turns } = session;
  switch (event.type) {
    case 'session.update':
      update(event.session, session);
      break;
    case 'input_audio_buffer.append':
      listen(buffer.append(event.audio), session);
      break;
    case 'input_audio_buffer.commit':
      session.detector.reset();
      commit(session, session.freshId('item'));
      break;
    case 'input_audio_buffer.clear':
      buffer.clear();
      session.detector.reset();
      line.tell({ type: 'input_audio_buffer.cleared' });
      break;
    case 'output_audio_buffer.clear':
      line.tell({ type: 'output_audio_buffer.cleared' });
      break;
    case 'conversation.item.create':
      create(event.item, event.previous_item_id ?? undefined, session);
      break;
    case 'conversation.item.truncate': {
      const { item_id, content_index, audio_end_ms } = event;
      conversation.truncate(item_id, content_index, audio_end_ms);
      line.tell({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms });
      break;
    }
    case 'conversation.item.delete':
      conversation.delete(event.item_id);
      line.tell({ type: 'conversation.item.deleted', item_id: event.item_id });
      break;
    case 'conversation.item.retrieve': {
      const item: Body = itemBody(conversation.retrieve(event.item_id), session.dialect);
      line.tell({ type: 'conversation.item.retrieved', item });
      break;
    }
    case 'response.create':
      turns.answer(event.response);
      break;
    case 'response.cancel':
      turns.cancel(event.response_id);
      break;
  }
}

function update({ model, settings }: SessionRequest, session: Session): void {
  if (model !== undefined && model !== session.model.id) {
    throw new EventRefusal('The model of a session cannot be changed.', {
      ...{ code: 'cannot_update_model', param: 'session.model' },
    });
  }
  const next = { ...session.settings, ...settings };
  if (session.turns.hasSpoken && next.voice !== session.settings.voice) throw voiceIsSet('session', session.dialect);
  const asksForTranscripts = Boolean(settings.transcription);
  const fault = session.faultAt('settings', asksForTranscripts);
  if (asksForTranscripts) checkTranscriber(settings.transcription?.model, fault?.how === 'refuse-transcriber', session);
  session.settings = next;
  session.line.tell({ type: 'session.updated', session: session.body });
  if (fault?.how === 'drop-updated') session.cut();
}

function checkTranscriber(id: unknown, isRefused: boolean, { dialect }: Session): void {
  const known = isRefused ? [] : catalogue.filter(({ ability }) => ability === 'transcription');
  if (known.some((model) => model.id === id)) return;
  const names = known.map((model) => `'${model.id}'`).join(', ') || 'none at present';
  throw new EventRefusal(`Invalid value: '${shown(String(id))}'. Supported values are: ${names}.`, {
    code: 'invalid_value',
    param: `session.${dialect === 'ga' ? 'audio.input.transcription' : 'input_audio_transcription'}.model`,
  });
}

function create({ id, ...given }: GivenItem, behind: string | undefined, session: Session): void {
  const { conversation, dialect, line } = session;
  if (given.type === 'function_call_output') {
    const { callId } = given;
    const isKnown = conversation.items.some((item) => item.type === 'function_call' && item.callId === callId);
    if (!isKnown) {
      throw new EventRefusal(`Tool call ID '${shown(callId)}' not found in conversation.`, {
        ...{ code: 'invalid_tool_call_id', param: 'item.call_id' },
      });
    }
  }
  const item: Item = { ...given, id: id ?? session.freshId('item'), status: 'completed' };
  const before = conversation.add(item, behind);
  for (const event of addedEvents(item, before, dialect)) line.tell(event);
}
