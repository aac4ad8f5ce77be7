import type {
  Response,
  ResponseFunctionToolCall,
  ResponseFunctionWebSearch,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { rawNumber } from '../decimal.ts';
import type { Profile } from '../quirks.ts';
import type { TextRequest } from '../requests/text.ts';
import type { GeneratedResponse, OutputItem } from '../text/generate.ts';
import type { Body } from './view.ts';

/** A generated response with the data that its formats need. */
export interface TextResponse {
  readonly id: string;
  readonly createdAt: number;
  readonly request: TextRequest;
  readonly generated: GeneratedResponse;
  readonly profile: Profile;
  /** Whether usage has the field names of chat completions. */
  readonly chatUsage: boolean;
}

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';

/** The response object of OpenAI's client. The client itself adds `output_text`. */
export type ResponseBody = Omit<
  Response,
  'created_at' | 'output' | 'output_text' | 'tool_choice' | 'tools' | 'usage'
> & {
  /** An object stands for a fraction with all its digits. */
  created_at: number | object;
  output: readonly ItemBody[];
  tool_choice: TextRequest['tool_choice'];
  tools: TextRequest['tools'];
  usage: ResponseUsage | ChatUsage | null;
};

type ChatUsage = Record<'prompt_tokens' | 'completion_tokens' | 'total_tokens', number>;

export type ItemBody =
  | ResponseFunctionToolCall
  | ResponseFunctionWebSearch
  | ResponseOutputMessage
  | ResponseReasoningItem;

export const statusOf = ({ generated }: TextResponse): Status => (generated.isIncomplete ? 'incomplete' : 'completed');

/** The response object in its current state. */
export function responseBody(
  response: TextResponse,
  status: Status,
  output: readonly ItemBody[],
  error: Response['error'] = null,
): ResponseBody {
  const { id, createdAt, request, generated, profile } = response;
  const isEnded = status === 'completed' || status === 'incomplete';
  return {
    id,
    object: 'response',
    access_programs: null,
    // Some gateways count in fractions of a second.
    created_at: profile === 'stock' ? rawNumber((createdAt / 1000).toFixed(3)) : Math.floor(createdAt / 1000),
    status,
    error,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: {},
    model: request.model,
    output,
    parallel_tool_calls: true,
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    tool_choice: request.tool_choice,
    tools: request.tools,
    usage: !isEnded ? null : response.chatUsage ? chatUsageBody(generated.tokens) : usageBody(generated.tokens),
  };
}

const chatUsageBody = ({ input, output }: GeneratedResponse['tokens']): ChatUsage => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

function usageBody({ input, output, reasoning }: GeneratedResponse['tokens']): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

const ITEM_ID_PREFIXES: Record<OutputItem['type'], string> = {
  reasoning: 'rs',
  'web-search': 'ws',
  call: 'fc',
  message: 'msg',
  refusal: 'msg',
};

export const itemId = ({ id }: TextResponse, item: OutputItem, index: number) =>
  `${ITEM_ID_PREFIXES[item.type]}_${index}_${id.slice(-12)}`;
const callId = ({ id }: TextResponse, index: number) => `call_${index}_${id.slice(-12)}`;

export function itemBody(response: TextResponse, item: OutputItem, index: number): ItemBody {
  const id = itemId(response, item, index);
  const status = response.generated.isIncomplete ? 'incomplete' : 'completed';
  const message = { id, type: 'message', role: 'assistant', status } as const;
  switch (item.type) {
    case 'reasoning':
      return response.profile === 'spec'
        ? { id, type: 'reasoning', summary: item.thoughts.map((text) => ({ type: 'summary_text', text })) }
        : {
            id,
            type: 'reasoning',
            summary: [],
            content: item.thoughts.map((text) => ({ type: 'reasoning_text', text })),
          };
    case 'web-search':
      return { id, type: 'web_search_call', status: 'completed', action: { type: 'search', query: item.query } };
    case 'call':
      return {
        id,
        type: 'function_call',
        status: 'completed',
        call_id: callId(response, index),
        name: item.name,
        arguments: item.argumentsJson,
      };
    case 'message':
      return { ...message, content: [{ type: 'output_text', text: item.text, annotations: [] }] };
    case 'refusal':
      return { ...message, content: [{ type: 'refusal', refusal: item.text }] };
  }
}

export const itemBodies = (response: TextResponse) =>
  response.generated.items.map((item, index) => itemBody(response, item, index));

/** The response as a chat completion, for gateways that support only that format. */
export function chatBody(response: TextResponse): Body {
  const { id, createdAt, request, generated } = response;
  const text = generated.items.flatMap((item) => (item.type === 'message' ? [item.text] : [])).join('\n\n');
  const calls = generated.items.flatMap((item, index) =>
    item.type === 'call'
      ? [
          {
            id: callId(response, index),
            type: 'function',
            function: { name: item.name, arguments: item.argumentsJson },
          },
        ]
      : [],
  );
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish_reason = generated.isIncomplete ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    id,
    object: 'chat.completion',
    created: Math.floor(createdAt / 1000),
    model: request.model,
    choices: [{ index: 0, message, finish_reason }],
    usage: chatUsageBody(generated.tokens),
  };
}
