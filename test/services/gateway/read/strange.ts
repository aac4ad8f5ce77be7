import fc from 'fast-check';
import { MP4, PNG } from './body.ts';

/**
 * The field names that the readers look for, so that generated responses exercise most of their code, and names that are special in
 * JavaScript.
 */
const FIELD_NAMES =
  'data code message success msg description result properties error type status task_status state job response output content ' +
  'id task_id taskId job_id progress action url result_url fail_reason failReason reason task_result videos video video_url ' +
  'images outputs image_url b64_json base64 imageUrl imageUrls videoUrl videoUrls buttons customId emoji name label style clips ' +
  'sunoData audio_url audioUrl title metadata duration error_message tags prompt text finalPrompt revised_prompt thumbnail width ' +
  'height seed expires_at url_expires_in_seconds submitTime created_at finish_time remix numberOfQueues bannedWord retry_after ' +
  'header detail err __proto__ constructor toString length 0';

const SAMPLE_STRINGS = [
  '',
  ' ',
  'SUCCESS',
  'succeeded',
  'FAILURE',
  'IN_PROGRESS',
  'MODAL',
  'CANCEL',
  'warp',
  'DESCRIBE',
  'LYRICS',
  'complete',
  '45%',
  '0.29',
  'NaN',
  '1e309',
  '-1',
  '1711217942120000000',
  '2026-02-30',
  'Bearer abc.def',
  'insufficient_user_quota',
  'https://cdn.example/film.mp4',
  'https://cdn.example/picture.png?x=1',
  'http://localhost//',
  'http://localhost:3000//mj/image/17',
  'http://[::1',
  'https://',
  '/files/a.png',
  '//',
  'javascript:alert(1)',
  'data:image/png;base64,',
  `data:image/png;base64,${PNG}`,
  PNG,
  MP4,
  '{"url":"https://cdn.example/film.mp4","data":[1.50]}',
  '[{"customId":"a","label":1}]',
  '[',
  '__proto__',
  'constructor',
  '<html><title>x</title></html>',
  '\ud83d',
  '\u0000',
];

const leaf = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SAMPLE_STRINGS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, 1, 21, 22, 200, 1e300),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
);

const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, leaf, tie('record'), tie('record'), tie('list')),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  record: fc.dictionary(fc.constantFrom(...FIELD_NAMES.split(' ')), tie('tree'), { maxKeys: 8 }),
}));

const record = fc.dictionary(fc.constantFrom(...FIELD_NAMES.split(' ')), tree, { maxKeys: 10 });

/** Responses that are always recognized as tasks, most of them finished so that their results are searched. */
const task = fc
  .tuple(
    record,
    fc.constantFrom('SUCCESS', 'SUCCESS', 'succeeded', 'IN_PROGRESS', 'FAILURE', 'MODAL', 'warp'),
    fc.boolean(),
  )
  .map(([fields, status, isWrapped]) => {
    const taskRecord = { id: 't', ...fields, status };
    return isWrapped ? { code: 'success', data: taskRecord } : taskRecord;
  });

/** Responses as text: arbitrary JSON, and trees of the readers' field names. */
export const responses: fc.Arbitrary<string> = fc
  .oneof(fc.jsonValue(), tree, tree, task, task)
  .map((value) => JSON.stringify(value));

/** Wraps a value in many lists or objects. */
export function nest(levels: number, name: string, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = name === '' ? [value] : { [name]: value };
  return value;
}
