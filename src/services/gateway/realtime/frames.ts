import type { RawData } from 'ws';
import { isRecord, type Json, parseExact } from '../../../lib/exact-json.ts';
import { asText } from '../read/values.ts';

/** An event of the gateway. */
export interface Frame {
  type: string;
  body: Record<string, unknown>;
  /** Letters on the wire. */
  size: number;
}

/** Undefined for whatever is no event. Some gateways send theirs as bytes. */
export function frameOf(data: RawData): Frame | undefined {
  const text = textOf(data);
  const body = parsed(text);
  const type = isRecord(body) ? asText(body.type) : undefined;
  return isRecord(body) && type !== undefined ? { type, body, size: text.length } : undefined;
}

/** The event of ours that an error is about, where it names one. */
export const blamed = (error: Record<string, unknown>): string | undefined => asText(error.event_id);

/** Which answer an event belongs to. */
export const responseIdOf = ({ response, response_id: id }: Record<string, unknown>): string | undefined =>
  asText(id) ?? (isRecord(response) ? asText(response.id) : undefined);

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
