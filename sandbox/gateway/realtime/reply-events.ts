import type { Body } from '../wire/view.ts';
import { type Dialect, namesIn } from './dialect.ts';
import { type Item, itemBody, type Part, partBody } from './item.ts';
import type { Piece } from './pieces.ts';

/** Where an item of an answer stands. */
export interface Place {
  readonly dialect: Dialect;
  readonly responseId: string;
  readonly index: number;
  /** The item before it in the conversation; undefined where it is said beside the conversation. */
  readonly before: string | null | undefined;
}

/** What the conversation says of an item that is new in it: today's dialect says so twice. */
export function addedEvents(item: Item, before: string | null, dialect: Dialect): Body[] {
  const body = { previous_item_id: before, item: itemBody(item, dialect) };
  return dialect === 'ga'
    ? [
        { type: 'conversation.item.added', ...body },
        ...(item.status === 'in_progress' ? [] : [{ type: 'conversation.item.done', ...body }]),
      ]
    : [{ type: 'conversation.item.created', ...body }];
}

export function openingEvents(item: Item, place: Place): Body[] {
  const { dialect, before } = place;
  // It has no part yet, and then an empty one.
  const bare = item.type === 'message' ? { ...item, parts: [] } : item;
  return [
    { type: 'response.output_item.added', ...inResponse(place), item: itemBody(bare, dialect) },
    ...(before === undefined ? [] : addedEvents(bare, before, dialect)),
    ...partsOf(item).map((part, at) => ({
      ...{ type: 'response.content_part.added', ...inItem(item, place), content_index: at },
      part: partBody(part, 'assistant', dialect),
    })),
  ];
}

export function closingEvents(item: Item, place: Place): Body[] {
  const { dialect, before } = place;
  const body = itemBody(item, dialect);
  return [
    ...partsOf(item).flatMap((part, at) => partClosing(part, { ...inItem(item, place), content_index: at }, dialect)),
    ...(item.type === 'function_call'
      ? [{ type: 'response.function_call_arguments.done', ...ofCall(item, place), arguments: item.written }]
      : []),
    ...(before === undefined || dialect === 'beta'
      ? []
      : [{ type: 'conversation.item.done', previous_item_id: before, item: body }]),
    { type: 'response.output_item.done', ...inResponse(place), item: body },
  ];
}

export const pieceEvent = ({ kind, delta }: Piece, item: Item, place: Place): Body => ({
  ...{ type: `response.${namesIn[place.dialect][kind]}.delta`, ...inItem(item, place), content_index: 0, delta },
});

export const argumentsEvent = (delta: string, item: Item & { type: 'function_call' }, place: Place): Body => ({
  ...{ type: 'response.function_call_arguments.delta', ...inItem(item, place), call_id: item.callId, delta },
});

const partsOf = (item: Item): readonly Part[] => (item.type === 'message' ? item.parts : []);
const inResponse = ({ responseId, index }: Place) => ({ response_id: responseId, output_index: index });
const inItem = ({ id }: Item, place: Place) => ({ ...inResponse(place), item_id: id });
const ofCall = (item: Item & { type: 'function_call' }, place: Place) => ({
  ...{ ...inItem(item, place), call_id: item.callId, name: item.name },
});

function partClosing(part: Part, where: Body, dialect: Dialect): Body[] {
  const names = namesIn[dialect];
  const done = { type: 'response.content_part.done', ...where, part: partBody(part, 'assistant', dialect) };
  if (part.type === 'speech') {
    return [
      { type: `response.${names.audio}.done`, ...where },
      { type: `response.${names.transcript}.done`, ...where, transcript: part.text },
      done,
    ];
  }
  return part.type === 'text' ? [{ type: `response.${names.text}.done`, ...where, text: part.text }, done] : [];
}
