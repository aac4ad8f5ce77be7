import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { betaResponse, betaSession } from './beta.ts';
import { gaResponse, gaSession } from './ga.ts';
import { type NewItem, newItemSchema } from './item.ts';
import type { ResponseRequest, SessionRequest } from './session.ts';

const id = z.string().min(1).max(512);
const eventSchema = <Name extends string, Shape extends z.ZodRawShape>(type: Name, shape: Shape) =>
  z.strictObject({ type: z.literal(type), event_id: z.string().max(512).optional(), ...shape });

/** Every event that a client can send. */
const eventSchemas = (
  session: z.ZodType<SessionRequest>,
  response: z.ZodType<ResponseRequest>,
  item: z.ZodType<NewItem>,
) =>
  [
    eventSchema('session.update', { session }),
    eventSchema('input_audio_buffer.append', { audio: z.string() }),
    eventSchema('input_audio_buffer.commit', {}),
    eventSchema('input_audio_buffer.clear', {}),
    eventSchema('output_audio_buffer.clear', {}),
    eventSchema('conversation.item.create', { previous_item_id: id.nullish(), item }),
    eventSchema('conversation.item.truncate', {
      item_id: id,
      content_index: z.int().min(0),
      audio_end_ms: z.int().min(0),
    }),
    eventSchema('conversation.item.delete', { item_id: id }),
    eventSchema('conversation.item.retrieve', { item_id: id }),
    eventSchema('response.create', { response: response.optional() }),
    eventSchema('response.cancel', { response_id: id.optional() }),
  ] as const;

type Schema = ReturnType<typeof eventSchemas>[number];
export type ClientEvent = z.output<Schema>;

const byType = (schemas: readonly Schema[]): ReadonlyMap<string, Schema> =>
  new Map(schemas.map((schema) => [schema.shape.type.value, schema]));

export const clientEvents: Record<Dialect, ReadonlyMap<string, Schema>> = {
  ga: byType(eventSchemas(gaSession, gaResponse, newItemSchema('ga'))),
  beta: byType(eventSchemas(betaSession, betaResponse, newItemSchema('beta'))),
};
