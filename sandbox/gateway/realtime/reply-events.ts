import type { Body } from '../wire/view.ts';
import { type Dialect, NAMES_BY_DIALECT } from './dialect.ts';
import { type Item, itemBody, type Part, partBody } from './item.ts';
import type { Piece } from './pieces.ts';

/** The position of an item in its response and conversation. */
export interface ItemPosition {
  readonly dialect: Dialect;
  readonly responseId: string;
  readonly index: number;
  /** The id of the previous item; undefined if the reply is not part of the conversation. */
  readonly previousItemId: string | null | undefined;
}

/** The events for a new item in the conversation; the current dialect has two. */
export function addedEvents(item: Item, previousItemId: string | null, dialect: Dialect): Body[] {
  const body = { previous_item_id: previousItemId, item: itemBody(item, dialect) };
  return dialect === 'ga'
    ? [
        { type: 'conversation.item.added', ...body },
        ...(item.status === 'in_progress' ? [] : [{ type: 'conversation.item.done', ...body }]),
      ]
    : [{ type: 'conversation.item.created', ...body }];
}

export function openingEvents(item: Item, position: ItemPosition): Body[] {
  const { dialect, previousItemId } = position;
  // The item is announced without its parts, which follow in their own events.
  const itemWithoutParts = item.type === 'message' ? { ...item, parts: [] } : item;
  return [
    { type: 'response.output_item.added', ...responseFields(position), item: itemBody(itemWithoutParts, dialect) },
    ...(previousItemId === undefined ? [] : addedEvents(itemWithoutParts, previousItemId, dialect)),
    ...partsOf(item).map((part, partIndex) => ({
      type: 'response.content_part.added',
      ...itemFields(item, position),
      content_index: partIndex,
      part: partBody(part, 'assistant', dialect),
    })),
  ];
}

export function closingEvents(item: Item, position: ItemPosition): Body[] {
  const { dialect, previousItemId } = position;
  const body = itemBody(item, dialect);
  return [
    ...partsOf(item).flatMap((part, partIndex) =>
      partClosingEvents(part, { ...itemFields(item, position), content_index: partIndex }, dialect),
    ),
    ...(item.type === 'function_call'
      ? [
          {
            type: 'response.function_call_arguments.done',
            ...callFields(item, position),
            arguments: item.argumentsJson,
          },
        ]
      : []),
    ...(previousItemId === undefined || dialect === 'beta'
      ? []
      : [{ type: 'conversation.item.done', previous_item_id: previousItemId, item: body }]),
    { type: 'response.output_item.done', ...responseFields(position), item: body },
  ];
}

export const pieceEvent = ({ kind, delta }: Piece, item: Item, position: ItemPosition): Body => ({
  type: `response.${NAMES_BY_DIALECT[position.dialect][kind]}.delta`,
  ...itemFields(item, position),
  content_index: 0,
  delta,
});

export const argumentsEvent = (
  delta: string,
  item: Item & { type: 'function_call' },
  position: ItemPosition,
): Body => ({
  type: 'response.function_call_arguments.delta',
  ...itemFields(item, position),
  call_id: item.callId,
  delta,
});

const partsOf = (item: Item): readonly Part[] => (item.type === 'message' ? item.parts : []);
const responseFields = ({ responseId, index }: ItemPosition) => ({ response_id: responseId, output_index: index });
const itemFields = ({ id }: Item, position: ItemPosition) => ({ ...responseFields(position), item_id: id });
const callFields = (item: Item & { type: 'function_call' }, position: ItemPosition) => ({
  ...itemFields(item, position),
  call_id: item.callId,
  name: item.name,
});

function partClosingEvents(part: Part, ids: Body, dialect: Dialect): Body[] {
  const names = NAMES_BY_DIALECT[dialect];
  const partDone = { type: 'response.content_part.done', ...ids, part: partBody(part, 'assistant', dialect) };
  if (part.type === 'speech') {
    return [
      { type: `response.${names.audio}.done`, ...ids },
      { type: `response.${names.transcript}.done`, ...ids, transcript: part.text },
      partDone,
    ];
  }
  return part.type === 'text' ? [{ type: `response.${names.text}.done`, ...ids, text: part.text }, partDone] : [];
}
