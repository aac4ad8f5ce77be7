import type { TextContent, TextItem, TextRequest, TextTool } from './request.ts';

/** The request in the words of the wire (specification, 4.6; what it leaves open, in the wild's spelling). */
export function bodyOf(request: TextRequest, isStreamed: boolean): Record<string, unknown> {
  const { model, input, instructions, tools, toolChoice, effort, format, maxOutputTokens, temperature, extra } =
    request;
  return {
    ...extra,
    model,
    input: typeof input === 'string' ? input : input.map(itemOf),
    instructions,
    tools: tools?.map(toolOf),
    tool_choice: toolChoice,
    reasoning: effort === undefined ? undefined : { effort },
    text: format === undefined ? undefined : { format: formatOf(format) },
    max_output_tokens: maxOutputTokens,
    temperature,
    // Left away where it is not wanted: the order of verification (4.6) begins with `model` and `input` alone.
    ...(isStreamed ? { stream: true } : {}),
  };
}

function itemOf(item: TextItem): Record<string, unknown> {
  if ('role' in item) {
    const { role, content } = item;
    return { role, content: typeof content === 'string' ? content : content.map((part) => partOf(part, role)) };
  }
  // Without the id of its item: with it, gateways ask for the thoughts that came before it as well.
  if (item.type === 'call') {
    return { type: 'function_call', call_id: item.callId, name: item.name, arguments: item.arguments };
  }
  return { type: 'function_call_output', call_id: item.callId, output: item.output };
}

function partOf(part: TextContent, role: string): Record<string, unknown> {
  if (part.type === 'text') return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text };
  if (part.type === 'picture') return { type: 'input_image', image_url: part.picture };
  if ('address' in part) return { type: 'input_file', file_url: part.address };
  return { type: 'input_file', filename: part.name, file_data: part.data };
}

function toolOf(tool: TextTool): Record<string, unknown> {
  if (tool.type === 'other') return tool.definition;
  if (tool.type === 'web-search') return { type: 'web_search' };
  return { ...tool };
}

function formatOf(format: NonNullable<TextRequest['format']>): Record<string, unknown> {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  return { ...format, type: 'json_schema' };
}
