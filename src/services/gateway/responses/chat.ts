import { isRecord } from '../../../lib/exact-json.ts';
import type { Frame } from './frames.ts';

/** The last word of an answer in the shape of a chat; what is used may still follow it. */
export const CHAT_END = 'chat.end';

export const isChat = (body: Record<string, unknown>): boolean => Array.isArray(body.choices);

/** The reasons of an end that is one, in the words of chats. */
const WHOLE_ENDS = new Set(['stop', 'tool_calls', 'function_call', 'end_turn']);

/** What an answer in the shape of a chat says, in the events of this endpoint: some gateways know no other shape. */
export function framesOfChat(body: Record<string, unknown>): Frame[] {
  const { choices, id, model, usage } = body;
  const frames: Frame[] = [frame('response.created', { response: { id, model } })];
  const choice = Array.isArray(choices) && isRecord(choices[0]) ? choices[0] : {};
  const said = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : {};
  const say = (type: string, delta: unknown, output_index: string): void => {
    if (typeof delta === 'string' && delta !== '') frames.push(frame(type, { delta, output_index }));
  };
  say('response.reasoning_text.delta', said.reasoning_content ?? said.reasoning, 'thoughts');
  say('response.output_text.delta', said.content, 'words');
  say('response.refusal.delta', said.refusal, 'words');
  if (Array.isArray(said.tool_calls)) frames.push(...said.tool_calls.filter(isRecord).flatMap(framesOfCall));
  if (isRecord(usage)) frames.push(frame('usage', { usage }));
  const reason = choice.finish_reason;
  if (typeof reason === 'string') frames.push(frame(CHAT_END, { reason: WHOLE_ENDS.has(reason) ? undefined : reason }));
  return frames;
}

function framesOfCall(call: Record<string, unknown>, place: number): Frame[] {
  const { name, arguments: delta } = isRecord(call.function) ? call.function : {};
  const output_index = `call ${call.index ?? place}`;
  const item = { type: 'function_call', call_id: call.id, name };
  return [
    frame('response.output_item.added', { output_index, item }),
    frame('response.function_call_arguments.delta', { output_index, delta: typeof delta === 'string' ? delta : '' }),
  ];
}

const frame = (type: string, body: Record<string, unknown>): Frame => ({ type, body });
