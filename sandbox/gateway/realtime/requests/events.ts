import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { betaResponse, betaSession } from './beta.ts';
import { gaResponse, gaSession } from './ga.ts';
import { type GivenItem, givenItem } from './item.ts';
import type { ResponseRequest, SessionRequest } from './session.ts';

const id = z.string().min(1).max(512);
const event = <Name extends string, Shape extends z.ZodRawShape>(type: Name, shape: Shape) =>
  z.strictObject({ type: z.literal(type), event_id: z.string().max(512).optional(), ...shape });

/** Every event that a client may send (wire facts, part 6). */
const eventsOf = (
  session: z.ZodType<SessionRequest>,
  response: z.ZodType<ResponseRequest>,
  item: z.ZodType<GivenItem>,
) =>
  [
    event('session.update', { session }),
    event('input_audio_buffer.append', { audio: z.string() }),
    event('input_audio_buffer.commit', {}),
    event('input_audio_buffer.clear', {}),
    event('output_audio_buffer.clear', {}),
    event('conversation.item.create', { previous_item_id: id.nullish(), item }),
    event('conversation.item.truncate', {
      ...{ item_id: id, content_index: z.int().min(0), audio_end_ms: z.int().min(0) },
    }),
    event('conversation.item.delete', { item_id: id }),
    event('conversation.item.retrieve', { item_id: id }),
    event('response.create', { response: response.optional() }),
    event('response.cancel', { response_id: id.optional() }),
  ] as const;

type Schema = ReturnType<typeof eventsOf>[number];
export type ClientEvent = z.output<Schema>;

const byType = (schemas: readonly Schema[]): ReadonlyMap<string, Schema> =>
  new Map(schemas.map((schema) => [schema.shape.type.value, schema]));

export const clientEvents: Record<Dialect, ReadonlyMap<string, Schema>> = {
  ga: byType(eventsOf(gaSession, gaResponse, givenItem('ga'))),
  beta: byType(eventsOf(betaSession, betaResponse, givenItem('beta'))),
};
