import fc from 'fast-check';
import { readEvents } from '../../../src/services/gateway/endpoints/responses.ts';
import { toGatewayError } from '../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { decodeChunks, isEventStream, peekStream } from '../../../src/services/gateway/event-stream.ts';
import { ResponseReader } from '../../../src/services/gateway/realtime/reader.ts';
import { parseFrame } from '../../../src/services/gateway/realtime/wire.ts';
import { framesFor as realtimeFrames } from '../../services/gateway/realtime/frames.ts';
import { createReader, lineOf } from '../../services/gateway/responses/reading.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const TYPES = [
  ...['created', 'in_progress', 'completed', 'done', 'incomplete', 'failed', 'cancelled'].map(
    (end) => `response.${end}`,
  ),
  ...['output_text', 'text', 'refusal', 'reasoning_text', 'reasoning_summary_text', 'function_call_arguments'].flatMap(
    (name) => [`response.${name}.delta`, `response.${name}.done`],
  ),
  ...['output_audio', 'audio', 'output_audio_transcript', 'audio_transcript'].flatMap((name) => [
    `response.${name}.delta`,
    `response.${name}.done`,
  ]),
  ...['output_item.added', 'output_item.done', 'content_part.done', 'web_search_call.searching'].map(
    (name) => `response.${name}`,
  ),
  ...['error', 'usage', 'chat.end', '', 'ping'],
];

const word = fc.constantFrom(
  '',
  'a',
  'b ',
  '\n\n',
  'abc',
  '  ',
  '{"x":',
  '1}',
  '\ud83d',
  'AAAA',
  'call_1',
  'stop',
  'length',
);
const scalar = fc.oneof(word, word, fc.nat({ max: 3 }), fc.constantFrom(null, true));
const item = fc.record(
  {
    id: scalar,
    call_id: scalar,
    name: word,
    arguments: word,
    type: fc.constantFrom('message', 'function_call', 'web_search_call', 'reasoning'),
    role: fc.constantFrom('assistant', 'user'),
    status: fc.constantFrom('completed', 'incomplete'),
    content: fc.array(
      fc.record(
        { type: fc.constantFrom('output_text', 'refusal', 'output_audio'), text: word, transcript: word },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    summary: fc.array(fc.record({ text: word }), { maxLength: 2 }),
    action: fc.record({ query: word }),
  },
  { requiredKeys: ['type'] },
);
const event = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    event_id: scalar,
    item_id: scalar,
    output_index: scalar,
    content_index: scalar,
    call_id: scalar,
    delta: scalar,
    text: scalar,
    transcript: scalar,
    arguments: scalar,
    refusal: scalar,
    item,
    part: fc.record({ text: word, transcript: word }, { requiredKeys: [] }),
    usage: fc.record({ input_tokens: scalar, output_tokens: scalar, total_tokens: scalar }, { requiredKeys: [] }),
    error: fc.oneof(
      scalar,
      fc.record({ message: word, code: scalar, status: scalar, type: word }, { requiredKeys: [] }),
    ),
    response: fc.record(
      {
        id: scalar,
        model: scalar,
        status: fc.constantFrom('completed', 'failed', 'incomplete', 'cancelled', 'in_progress'),
        output: fc.array(item, { maxLength: 3 }),
        output_text: word,
        usage: fc.record({ input_tokens: scalar }),
        error: fc.record({ message: word, code: scalar }, { requiredKeys: [] }),
        status_details: fc.record(
          { type: word, reason: word, error: fc.record({ message: word }) },
          { requiredKeys: [] },
        ),
        incomplete_details: fc.record({ reason: word }),
      },
      { requiredKeys: [] },
    ),
    choices: fc.array(
      fc.record(
        {
          index: fc.nat({ max: 2 }),
          delta: fc.record(
            {
              content: scalar,
              reasoning_content: scalar,
              tool_calls: fc.array(
                fc.record({ index: scalar, id: scalar, function: fc.record({ name: word, arguments: word }) }),
                { maxLength: 2 },
              ),
            },
            { requiredKeys: [] },
          ),
          message: fc.record({ content: scalar }),
          finish_reason: scalar,
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['type'] },
);

const stream = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.array(
      fc.oneof(
        event.map(lineOf),
        fc.constantFrom(
          'data: [DONE]\n\n',
          ': ping\n\n',
          'event: x\ndata: {}\n\n',
          'data: {\ndata: }\n\n',
          '\r\n',
          'retry: 3\n',
        ),
      ),
    ),
  )
  .map(([sizeSelector, lines]) => sizeSelector + lines.join(''));

/** The size of the chunks in which the bytes arrive; the first character of the input selects it. */
const CHUNK_SIZES = [1, 7, 61, 4_096];
const MAX_BYTES = 1_000_000;

async function* inChunks(input: Buffer): AsyncGenerator<Uint8Array> {
  const size = CHUNK_SIZES[(input[0] ?? 0) % CHUNK_SIZES.length] ?? 1;
  for (let start = 1; start < input.length; start += size) yield input.subarray(start, start + size);
}

const firstPart = { output_index: 0, content_index: 0 };
const delta = (text: string, part: object = firstPart): string =>
  lineOf({ type: 'response.output_text.delta', ...part, delta: text });

/** Selects chunks of 4,096 bytes. */
const LARGE_CHUNKS = 'c';
/** Selects chunks of seven bytes. */
const SMALL_CHUNKS = 'a';

const seedStream = [
  lineOf({ type: 'response.created', response: { id: 'r', model: 'm' } }),
  delta('Hello'),
  delta(' there'),
  lineOf({ type: 'response.output_text.done', ...firstPart, text: 'Hello there' }),
  lineOf({
    type: 'response.output_item.added',
    output_index: 1,
    item: { type: 'function_call', call_id: 'c', name: 'f' },
  }),
  lineOf({ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' }),
  lineOf({
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
  }),
  lineOf({ type: 'response.completed', response: { id: 'r', usage: { input_tokens: 1, output_tokens: 2 } } }),
].join('');

const chatStream = [
  lineOf({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] }),
  lineOf({
    id: 'c',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 't', function: { name: 'f', arguments: '{' } }] } }],
  }),
  lineOf({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } }),
  'data: [DONE]\n\n',
].join('');

const jsonLines = (list: readonly object[]): string => list.map((one) => JSON.stringify(one)).join('\n');
const repeatedLines = (times: number, make: (index: number) => object): string =>
  jsonLines(Array.from({ length: times }, (_, index) => make(index)));
const gaFrames = realtimeFrames('ga');

export const streamTargets: readonly Target[] = [
  {
    name: 'event-streams',
    inputType: 'text',
    seeds: () => [
      LARGE_CHUNKS + seedStream,
      SMALL_CHUNKS + seedStream,
      LARGE_CHUNKS + chatStream,
      SMALL_CHUNKS + chatStream,
    ],
    structured: stream,
    words: [
      'data: ',
      '\n\n',
      '\r\n',
      'event: ',
      ': ',
      '[DONE]',
      ...TYPES,
      '"delta":"',
      '"type":"',
      '"item":{',
      '"response":{',
      '{',
      '}',
    ],
    async run(input) {
      const pieces = decodeChunks(inChunks(input), MAX_BYTES, () => new GatewayError('too much', { kind: 'invalid' }));
      const start = await peekStream(pieces);
      if (!start) return;
      isEventStream(start.first, undefined);
      let endCount = 0;
      let deltas = '';
      let fullText = '';
      for await (const one of readEvents(start.all, createReader())) {
        if (one.type === 'text') deltas += one.delta;
        if ('response' in one) {
          endCount++;
          fullText = one.response.text;
        }
      }
      if (endCount !== 1) throw new BrokenInvariant(`The stream has ${endCount} end events.`);
      if (deltas !== fullText) throw new BrokenInvariant('The text at the end differs from the reported deltas.');
    },
    isExpected: (error) => error instanceof GatewayError,
    // Each chunk, even of a single byte, passes through three generators.
    msPerKb: 8,
    growing: {
      'deltas of one part': (times) => LARGE_CHUNKS + delta('a ').repeat(times),
      'deltas of many parts': (times) =>
        LARGE_CHUNKS +
        Array.from({ length: times }, (_, index) => delta('a ', { output_index: index, content_index: 0 })).join(''),
      'one complete part, sent repeatedly': (times) =>
        LARGE_CHUNKS +
        delta('abc') +
        lineOf({ type: 'response.output_text.done', ...firstPart, text: 'abc' }).repeat(times),
      'calls that never end': (times) =>
        LARGE_CHUNKS +
        Array.from({ length: times }, (_, index) =>
          lineOf({
            type: 'response.output_item.added',
            output_index: index,
            item: { type: 'function_call', call_id: `c${index}`, name: 'f' },
          }),
        ).join(''),
      'a line that never ends, in small pieces': (times) => `${SMALL_CHUNKS}data: ${'x'.repeat(times)}`,
      'empty lines of data': (times) => `${LARGE_CHUNKS}${'data:\n'.repeat(times)}\n`,
      searches: (times) =>
        LARGE_CHUNKS +
        Array.from({ length: times }, (_, index) =>
          lineOf({ type: 'response.web_search_call.searching', output_index: index, item_id: `w${index}` }),
        ).join(''),
    },
  },
  {
    name: 'realtime-events',
    inputType: 'text',
    seeds: () =>
      [realtimeFrames('ga'), realtimeFrames('beta')].map((say) =>
        jsonLines([
          say.created,
          say.text('Hi '),
          say.text('you'),
          say.textDone('Hi you'),
          say.transcript('Yes'),
          say.audio(Buffer.alloc(33, 7)),
          say.item('Yes'),
          say.done({ usage: { input_tokens: 3 } }),
        ]),
      ),
    structured: fc.array(event, { maxLength: 20 }).map(jsonLines),
    words: [...TYPES, '"delta":"', '"type":"', '"item":{', '"response":{', '{', '}', '\n', '"event_id":"'],
    run(input) {
      const responseReader = new ResponseReader('resp_1', (body, status) =>
        toGatewayError({ status, body, isSubmit: true, notFoundKind: 'not-found', secrets: ['sk-secret'] }),
      );
      let deltas = '';
      for (const line of splitLines(input)) {
        const frame = parseFrame(line);
        for (const one of frame ? responseReader.processFrame(frame) : []) if (one.type === 'text') deltas += one.delta;
      }
      if (responseReader.buildEnd('cut').text !== deltas)
        throw new BrokenInvariant('The text at the end differs from the reported deltas.');
    },
    isExpected: () => false,
    // Each line is a separate message; one that is not JSON costs an error with a stack trace.
    msPerKb: 20,
    growing: {
      'deltas of one part': (times) => repeatedLines(times, () => gaFrames.text('a ')),
      'deltas of many parts': (times) =>
        repeatedLines(times, (index) => ({ ...gaFrames.text('a '), item_id: `i${index}` })),
      'audio of many parts': (times) =>
        repeatedLines(times, (index) => ({ ...gaFrames.audio(Buffer.alloc(3)), item_id: `i${index}` })),
      'complete responses': (times) =>
        repeatedLines(times, () => gaFrames.done({ output: [{ type: 'message', content: [{ text: 'abc' }] }] })),
      calls: (times) =>
        repeatedLines(times, (index) => ({
          type: 'response.output_item.added',
          output_index: index,
          item: { type: 'function_call', call_id: `c${index}` },
        })),
    },
  },
];

function splitLines(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= input.length; ) {
    const end = input.indexOf(10, start);
    lines.push(input.subarray(start, end < 0 ? input.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return lines;
}
