import fc from 'fast-check';
import { toGatewayError } from '../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { decodeChunks, isEventStream, peekStream } from '../../../src/services/gateway/event-stream.ts';
import { ResponseReader } from '../../../src/services/gateway/realtime/reader.ts';
import { parseFrame } from '../../../src/services/gateway/realtime/wire.ts';
import { readEvents } from '../../../src/services/gateway/responses.ts';
import { framesFor as realtimeFrames } from '../../services/gateway/realtime/frames.ts';
import { lineOf, reader } from '../../services/gateway/responses/reading.ts';
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
const small = fc.oneof(word, word, fc.nat({ max: 3 }), fc.constantFrom(null, true));
const item = fc.record(
  {
    id: small,
    call_id: small,
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
    event_id: small,
    item_id: small,
    output_index: small,
    content_index: small,
    call_id: small,
    delta: small,
    text: small,
    transcript: small,
    arguments: small,
    refusal: small,
    item,
    part: fc.record({ text: word, transcript: word }, { requiredKeys: [] }),
    usage: fc.record({ input_tokens: small, output_tokens: small, total_tokens: small }, { requiredKeys: [] }),
    error: fc.oneof(small, fc.record({ message: word, code: small, status: small, type: word }, { requiredKeys: [] })),
    response: fc.record(
      {
        id: small,
        model: small,
        status: fc.constantFrom('completed', 'failed', 'incomplete', 'cancelled', 'in_progress'),
        output: fc.array(item, { maxLength: 3 }),
        output_text: word,
        usage: fc.record({ input_tokens: small }),
        error: fc.record({ message: word, code: small }, { requiredKeys: [] }),
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
              content: small,
              reasoning_content: small,
              tool_calls: fc.array(
                fc.record({ index: small, id: small, function: fc.record({ name: word, arguments: word }) }),
                { maxLength: 2 },
              ),
            },
            { requiredKeys: [] },
          ),
          message: fc.record({ content: small }),
          finish_reason: small,
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
  .map(([pace, lines]) => pace + lines.join(''));

/** The size of the chunks in which the bytes arrive; the first character of the input selects it. */
const CHUNK_SIZES = [1, 7, 61, 4_096];
const MAX_BYTES = 1_000_000;

async function* inChunks(input: Buffer): AsyncGenerator<Uint8Array> {
  const size = CHUNK_SIZES[(input[0] ?? 0) % CHUNK_SIZES.length] ?? 1;
  for (let at = 1; at < input.length; at += size) yield input.subarray(at, at + size);
}

const at = { output_index: 0, content_index: 0 };
const delta = (text: string, more: object = at): string =>
  lineOf({ type: 'response.output_text.delta', ...more, delta: text });

/** Selects chunks of 4,096 bytes. */
const WHOLE = 'c';
/** Selects chunks of seven bytes. */
const SMALL = 'a';

const seedStream = [
  lineOf({ type: 'response.created', response: { id: 'r', model: 'm' } }),
  delta('Hello'),
  delta(' there'),
  lineOf({ type: 'response.output_text.done', ...at, text: 'Hello there' }),
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
const repeated = (times: number, make: (index: number) => object): string =>
  jsonLines(Array.from({ length: times }, (_, index) => make(index)));
const ga = realtimeFrames('ga');

export const streamTargets: readonly Target[] = [
  {
    name: 'event-streams',
    reads: 'text',
    seeds: () => [WHOLE + seedStream, SMALL + seedStream, WHOLE + chatStream, SMALL + chatStream],
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
      let ends = 0;
      let deltas = '';
      let fullText = '';
      for await (const one of readEvents(start.all, reader())) {
        if (one.type === 'text') deltas += one.delta;
        if ('response' in one) {
          ends++;
          fullText = one.response.text;
        }
      }
      if (ends !== 1) throw new BrokenInvariant(`${ends} ends`);
      if (deltas !== fullText) throw new BrokenInvariant('The text at the end differs from the reported deltas.');
    },
    isExpected: (error) => error instanceof GatewayError,
    // Each chunk, even of a single byte, passes through three generators.
    msPerKb: 8,
    growing: {
      'deltas of one part': (times) => WHOLE + delta('a ').repeat(times),
      'deltas of many parts': (times) =>
        WHOLE +
        Array.from({ length: times }, (_, index) => delta('a ', { output_index: index, content_index: 0 })).join(''),
      'one complete part, sent repeatedly': (times) =>
        WHOLE + delta('abc') + lineOf({ type: 'response.output_text.done', ...at, text: 'abc' }).repeat(times),
      'calls that never end': (times) =>
        WHOLE +
        Array.from({ length: times }, (_, index) =>
          lineOf({
            type: 'response.output_item.added',
            output_index: index,
            item: { type: 'function_call', call_id: `c${index}`, name: 'f' },
          }),
        ).join(''),
      'a line that never ends, in small pieces': (times) => `${SMALL}data: ${'x'.repeat(times)}`,
      'empty lines of data': (times) => `${WHOLE}${'data:\n'.repeat(times)}\n`,
      searches: (times) =>
        WHOLE +
        Array.from({ length: times }, (_, index) =>
          lineOf({ type: 'response.web_search_call.searching', output_index: index, item_id: `w${index}` }),
        ).join(''),
    },
  },
  {
    name: 'realtime-events',
    reads: 'text',
    seeds: () =>
      [realtimeFrames('ga'), realtimeFrames('beta')].map((say) =>
        jsonLines([
          say.created,
          say.text('Hi '),
          say.text('you'),
          say.textDone('Hi you'),
          say.transcript('Yes'),
          say.sound(Buffer.alloc(33, 7)),
          say.item('Yes'),
          say.done({ usage: { input_tokens: 3 } }),
        ]),
      ),
    structured: fc.array(event, { maxLength: 20 }).map(jsonLines),
    words: [...TYPES, '"delta":"', '"type":"', '"item":{', '"response":{', '{', '}', '\n', '"event_id":"'],
    run(input) {
      const answer = new ResponseReader('resp_1', (body, status) =>
        toGatewayError({ status, body, isSubmit: true, missing: 'not-found', secrets: ['sk-secret'] }),
      );
      let deltas = '';
      for (const line of linesOf(input)) {
        const frame = parseFrame(line);
        for (const one of frame ? answer.take(frame) : []) if (one.type === 'text') deltas += one.delta;
      }
      if (answer.buildEnd('cut').text !== deltas)
        throw new BrokenInvariant('The text at the end differs from the reported deltas.');
    },
    isExpected: () => false,
    // Each line is a separate message; one that is not JSON costs an error with a stack trace.
    msPerKb: 20,
    growing: {
      'deltas of one part': (times) => repeated(times, () => ga.text('a ')),
      'deltas of many parts': (times) => repeated(times, (index) => ({ ...ga.text('a '), item_id: `i${index}` })),
      'audio of many parts': (times) =>
        repeated(times, (index) => ({ ...ga.sound(Buffer.alloc(3)), item_id: `i${index}` })),
      'complete answers': (times) =>
        repeated(times, () => ga.done({ output: [{ type: 'message', content: [{ text: 'abc' }] }] })),
      calls: (times) =>
        repeated(times, (index) => ({
          type: 'response.output_item.added',
          output_index: index,
          item: { type: 'function_call', call_id: `c${index}` },
        })),
    },
  },
];

function linesOf(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= input.length; ) {
    const end = input.indexOf(10, start);
    lines.push(input.subarray(start, end < 0 ? input.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return lines;
}
