import { type BodyCase, JPEG, NOW, PNG } from './body.ts';

const oneImage = [{ kind: 'image', address: 'https://cdn.example/1.png' }];

export const imageBodies: BodyCase[] = [
  {
    what: 'a job that was just created',
    body: '{"id":"job-1","status":"queued"}',
    expected: { remoteId: 'job-1', state: 'queued', word: 'queued', media: [], isEmpty: false, failure: undefined },
  },
  {
    what: 'a running job with a fraction as its progress',
    body: '{"id":"job-1","object":"image.job","model":"m-2K","status":"running","progress":0.45,"created_at":1767225600}',
    expected: { state: 'running', progress: 45, submittedAt: NOW },
  },
  {
    what: 'a finished job with a URL and its revised prompt',
    body: '{"id":"job-1","status":"succeeded","data":[{"url":"https://cdn.example/1.png","revised_prompt":"a cat"}]}',
    expected: { state: 'succeeded', progress: 100, media: oneImage, text: 'a cat', isEmpty: false },
  },
  {
    what: 'a finished job with several URLs, in their order',
    body: '{"id":"job-1","status":"succeeded","data":[{"url":"https://cdn.example/b.png"},{"url":"https://cdn.example/a.png"}]}',
    expected: {
      media: [
        { kind: 'image', address: 'https://cdn.example/b.png' },
        { kind: 'image', address: 'https://cdn.example/a.png' },
      ],
    },
  },
  {
    what: 'a finished job with base64',
    body: `{"id":"job-1","status":"succeeded","data":[{"b64_json":"${PNG}"}]}`,
    expected: { media: [{ kind: 'image', base64: PNG }] },
  },
  {
    what: 'base64 of a JPEG, which begins with a slash like a path',
    body: `{"id":"job-1","status":"succeeded","data":[{"url":null,"b64_json":"${JPEG}"}]}`,
    expected: { media: [{ kind: 'image', base64: JPEG }] },
  },
  {
    what: 'a data URI in place of a URL',
    body: `{"id":"job-1","status":"succeeded","data":[{"url":"data:image/PNG;base64,${PNG}"}]}`,
    expected: { media: [{ kind: 'image', base64: PNG, mediaType: 'image/png' }] },
  },
  {
    what: 'a data URI in place of base64',
    body: `{"id":"job-1","status":"succeeded","data":[{"b64_json":"data:image/webp;base64,${PNG}","url":""}]}`,
    expected: { media: [{ kind: 'image', base64: PNG, mediaType: 'image/webp' }] },
  },
  {
    what: 'absolute and relative URLs as bare strings',
    body: '{"id":"job-1","status":"succeeded","data":["https://cdn.example/1.png","/files/2.png"]}',
    expected: {
      media: [
        { kind: 'image', address: 'https://cdn.example/1.png' },
        { kind: 'image', address: 'https://gateway.example/files/2.png' },
      ],
    },
  },
  {
    what: 'base64 of a PNG as a bare string',
    body: `{"id":"job-1","status":"succeeded","data":["${PNG}"]}`,
    expected: { media: [{ kind: 'image', base64: PNG }] },
  },
  {
    what: 'base64 of a JPEG as a bare string is not a path',
    body: `{"id":"job-1","status":"succeeded","data":["${JPEG}"]}`,
    expected: { media: [{ kind: 'image', base64: JPEG }] },
  },
  {
    what: 'a data URI as a bare string',
    body: `{"id":"job-1","status":"succeeded","images":["data:image/jpeg;base64,${JPEG}"]}`,
    expected: { media: [{ kind: 'image', base64: JPEG, mediaType: 'image/jpeg' }] },
  },
  {
    what: 'a URL from a gateway that believes its host is localhost',
    body: '{"id":"job-1","status":"succeeded","data":[{"url":"http://127.0.0.1:8080/files/1.png?sig=a"}]}',
    expected: { media: [{ kind: 'image', address: 'https://gateway.example/files/1.png?sig=a' }] },
  },
  {
    what: 'a completed job whose images are listed under result',
    body: '{"id":"imgjob_123","object":"image_generation.job","status":"completed","created_at":"2026-01-01T00:00:00Z","result":{"created":123,"data":[{"url":"https://cdn.example/1.png"}]},"error":null,"cancel_requested":false}',
    expected: { remoteId: 'imgjob_123', state: 'succeeded', media: oneImage, submittedAt: NOW, failure: undefined },
  },
  {
    what: 'images nested under `response`',
    body: '{"job_id":"job-1","status":"done","response":{"data":[{"url":"https://cdn.example/1.png"}]}}',
    expected: { remoteId: 'job-1', media: oneImage },
  },
  {
    what: 'images in the complete response of an image endpoint under data',
    body: '{"id":"job-1","status":"succeeded","data":{"created":123,"data":[{"url":"https://cdn.example/1.png"}],"output_format":"png","usage":{"total_tokens":9}}}',
    expected: { state: 'succeeded', media: oneImage },
  },
  {
    what: 'a job next to its outputs, which state their lifetime',
    body: '{"job":{"id":"job-1","status":"succeeded","model":"m","created_at":"2026-01-01T00:00:00Z","attempt_count":1},"outputs":[{"index":0,"mime_type":"image/png","size_bytes":10,"width":1024,"height":"768","url":"https://cdn.example/1.png","url_expires_in_seconds":600}]}',
    expected: {
      remoteId: 'job-1',
      state: 'succeeded',
      submittedAt: NOW,
      media: [
        {
          kind: 'image',
          address: 'https://cdn.example/1.png',
          mediaType: 'image/png',
          width: 1024,
          height: 768,
          expiresAt: NOW + 600_000,
        },
      ],
    },
  },
  {
    what: 'a lifetime that exceeds every valid date is ignored',
    body: '{"id":"job-1","status":"succeeded","data":[{"url":"https://cdn.example/1.png","url_expires_in_seconds":1e300}]}',
    expected: { media: oneImage },
  },
  {
    what: 'a running job nested under `job`',
    body: '{"job":{"id":"job-1","status":"running","progress":30},"poll_url":"https://gateway.example/x"}',
    expected: { remoteId: 'job-1', state: 'running', progress: 30 },
  },
  {
    what: 'a failed job nested under `job`',
    body: '{"job":{"id":"job-1","status":"failed","error":{"message":"blocked","code":"moderation_blocked"}}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'blocked', code: 'moderation_blocked' } },
  },
  {
    what: 'a single URL under result_url, next to an empty list',
    body: '{"id":"job-1","task_id":"t","object":"image","status":"success","progress":100,"created_at":1767225600,"completed_at":1767225660,"result_url":"https://cdn.example/1.png","data":[]}',
    expected: { remoteId: 'job-1', media: oneImage, submittedAt: NOW, finishedAt: NOW + 60_000 },
  },
  {
    what: 'items with an image_url object and an image_url string',
    body: '{"id":"job-1","status":"succeeded","data":[{"image_url":{"url":"https://cdn.example/1.png"}},{"image_url":"https://cdn.example/2.png"}]}',
    expected: { media: [...oneImage, { kind: 'image', address: 'https://cdn.example/2.png' }] },
  },
  {
    what: 'items with their content under `base64`',
    body: `{"id":"job-1","status":"succeeded","images":[{"base64":"${PNG}","content_type":"image/png"}]}`,
    expected: { media: [{ kind: 'image', base64: PNG, mediaType: 'image/png' }] },
  },
  {
    what: 'a failed job',
    body: '{"id":"job-1","status":"failed","error":{"message":"the reference picture could not be fetched"}}',
    expected: {
      state: 'failed',
      media: [],
      failure: { cause: 'failed', reason: 'the reference picture could not be fetched' },
      isEmpty: false,
    },
  },
  {
    what: 'a failed job with a code and a partial result',
    body: '{"id":"job-1","status":"failed","error":{"message":"blocked","code":"moderation_blocked","type":"image_error"},"data":[{"url":"https://cdn.example/1.png"}]}',
    expected: { media: [], failure: { cause: 'failed', reason: 'blocked', code: 'moderation_blocked' } },
  },
  {
    what: 'a failed job whose error is a string',
    body: '{"id":"job-1","status":"failed","error":"out of memory"}',
    expected: { failure: { cause: 'failed', reason: 'out of memory' } },
  },
  {
    what: 'a failed job with a numeric code and no message',
    body: '{"id":"job-1","status":"failed","error":{"code":500,"message":""},"message":"success"}',
    expected: { failure: { cause: 'failed', code: '500' } },
  },
  {
    what: 'a cancelled job',
    body: '{"id":"job-1","status":"cancelled","error":null,"cancel_requested":true}',
    expected: { state: 'failed', failure: { cause: 'cancelled' } },
  },
  {
    what: 'an expired job has lost its images',
    body: '{"id":"job-1","status":"expired","data":null}',
    expected: { state: 'failed', media: [], failure: { cause: 'expired' }, isEmpty: false },
  },
  {
    what: 'a finished job with an empty list has no result',
    body: '{"id":"job-1","status":"succeeded","data":[],"error":null}',
    expected: { state: 'succeeded', media: [], isEmpty: true, failure: undefined },
  },
  {
    what: 'a finished job with null instead of a list has no result',
    body: '{"id":"job-1","status":"succeeded","data":null}',
    expected: { state: 'succeeded', isEmpty: true },
  },
  {
    what: 'text without an image is not a result of an image job',
    body: '{"id":"job-1","status":"succeeded","data":[{"revised_prompt":"a cat","b64_json":"","url":null}]}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'text next to an image in an unknown place does not hide the image',
    body: '{"id":"job-1","status":"succeeded","data":[{"revised_prompt":"a cat","file":{"download":"https://cdn.example/1.png"}}]}',
    expected: { media: oneImage, isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a reference image that the job repeats is not its result',
    body: '{"id":"job-1","status":"succeeded","model":"m","prompt":"a cat","image":"https://me.example/reference.png","data":[]}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'reference images that the job repeats are not its result',
    body: '{"id":"job-1","status":"succeeded","input":{"image":"https://me.example/a.png"},"request":{"image":["https://me.example/b.png"]},"reference_images":["https://me.example/c.png"],"data":[]}',
    expected: { media: [], isEmpty: true },
  },
  {
    what: 'a result in an unknown place is found and logged',
    body: '{"id":"job-1","status":"succeeded","artifacts":{"final":{"href":"https://cdn.example/1.png"},"thumbnail":"https://cdn.example/t.png"}}',
    expected: { media: oneImage, isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'base64 in an unknown place is found and logged',
    body: `{"id":"job-1","status":"succeeded","artifact":"${PNG}"}`,
    expected: { media: [{ kind: 'image', base64: PNG }], isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'base64 of a JPEG in an unknown place is found and not mistaken for a path',
    body: `{"id":"job-1","status":"succeeded","artifact":"${JPEG}"}`,
    expected: { media: [{ kind: 'image', base64: JPEG }], isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a job in an envelope',
    body: '{"code":0,"message":"ok","data":{"id":"job-1","status":"succeeded","data":[{"url":"https://cdn.example/1.png"}]}}',
    expected: { remoteId: 'job-1', state: 'succeeded', media: oneImage },
  },
  {
    what: 'a list of images without a state is a finished job',
    body: '{"created":1767225600,"data":[{"url":"https://cdn.example/1.png"}]}',
    expected: { remoteId: undefined, state: 'succeeded', word: '', media: oneImage },
  },
  {
    what: 'an id and nothing else is a queued job',
    body: '{"id":12345}',
    expected: { remoteId: '12345', state: 'queued', word: '' },
  },
  {
    what: 'an error and nothing else is a failed job',
    body: '{"id":"job-1","error":{"message":"gone"}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'gone' } },
  },
  {
    what: 'an unknown status means running and is logged',
    body: '{"id":"job-1","status":"moderating","progress":"99.5%"}',
    expected: { state: 'running', progress: 99.5 },
    notices: ['word moderating'],
  },
];
