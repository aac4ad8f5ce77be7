import { type BodyCase, MP4, NOW } from './body.ts';

const video = [{ kind: 'video', address: 'https://cdn.example/film.mp4' }];

export const videoBodies: BodyCase[] = [
  {
    what: 'the response to a submit, read as a task',
    body: '{"id":"task_1","task_id":"task_1","object":"video","model":"m","status":"queued","progress":0,"created_at":1767225600}',
    expected: { remoteId: 'task_1', state: 'queued', progress: 0, submittedAt: NOW, media: [] },
  },
  {
    what: 'the wrapped format, running: a record in an envelope',
    body: '{"code":"success","message":"","data":{"id":42,"created_at":1767225600,"task_id":"task_1","platform":"1","action":"generate","status":"IN_PROGRESS","fail_reason":"","submit_time":1767225600,"start_time":1767225605,"finish_time":0,"progress":"30%","result_url":"","data":{"status":"processing"}}}',
    expected: {
      remoteId: 'task_1',
      state: 'running',
      word: 'IN_PROGRESS',
      progress: 30,
      submittedAt: NOW,
      startedAt: NOW + 5_000,
      finishedAt: undefined,
    },
  },
  {
    what: 'the wrapped format, finished, with result_url',
    body: '{"code":"success","message":"","data":{"id":42,"task_id":"task_1","status":"SUCCESS","fail_reason":"","progress":"100%","result_url":"https://cdn.example/film.mp4","data":null}}',
    expected: { remoteId: 'task_1', state: 'succeeded', progress: 100, media: video, isEmpty: false },
  },
  {
    what: 'the wrapped format of older versions: the URL is in the field for failure reasons',
    body: '{"code":"success","message":"","data":{"id":42,"task_id":"task_1","status":"SUCCESS","fail_reason":"https://cdn.example/film.mp4","progress":"100%"}}',
    expected: { state: 'succeeded', media: video, failure: undefined },
  },
  {
    what: 'the wrapped format, failed: result_url contains a sentence',
    body: '{"code":"success","message":"","data":{"task_id":"task_1","status":"FAILURE","fail_reason":"the content was refused","result_url":"the content was refused","progress":"100%"}}',
    expected: { state: 'failed', media: [], failure: { cause: 'failed', reason: 'the content was refused' } },
  },
  {
    what: 'a sentence in result_url of a success is not a URL',
    body: '{"code":"success","message":"","data":{"task_id":"task_1","status":"SUCCESS","fail_reason":"all is well","result_url":"all is well"}}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'an outer failure overrides a stale inner status',
    body: '{"code":"success","data":{"task_id":"task_1","status":"FAILURE","fail_reason":"timed out","progress":"100%","data":{"task_id":"v","status":"processing","progress":40}}}',
    expected: { state: 'failed', word: 'FAILURE', failure: { cause: 'failed', reason: 'timed out' } },
  },
  {
    what: 'an outer status overrides an inner success',
    body: '{"code":"success","data":{"task_id":"task_1","status":"IN_PROGRESS","progress":"50%","data":{"task_status":"succeed","url":"https://cdn.example/film.mp4"}}}',
    expected: { state: 'running', progress: 50, media: [] },
  },
  {
    what: 'an outer status of a flat task overrides an inner success',
    body: '{"task_id":"task_1","status":"failed","message":"refused","data":{"status":"succeeded","url":"https://cdn.example/film.mp4"}}',
    expected: { state: 'failed', media: [], failure: { cause: 'failed', reason: 'refused' } },
  },
  {
    what: 'the status of an envelope is not the status of the task in it',
    body: '{"code":200,"status":"success","message":"ok","data":{"task_id":"task_1","status":"processing","progress":10}}',
    expected: { remoteId: 'task_1', state: 'running', progress: 10, isEmpty: false },
  },
  {
    what: 'a success without a URL has no result',
    body: '{"code":"success","data":{"task_id":"task_1","status":"SUCCESS","fail_reason":"","result_url":"","data":{"task_status":"succeed","task_result":{"videos":[]}}}}',
    expected: { state: 'succeeded', media: [], isEmpty: true, failure: undefined },
  },
  {
    what: 'the short format, running',
    body: '{"code":"success","data":{"error":null,"format":"mp4","metadata":null,"status":"processing","task_id":"task_1","url":""}}',
    expected: { remoteId: 'task_1', state: 'running', media: [] },
  },
  {
    what: 'the short format, finished',
    body: '{"code":"success","data":{"error":null,"format":"mp4","metadata":null,"status":"succeeded","task_id":"task_1","url":"https://cdn.example/film.mp4"}}',
    expected: { state: 'succeeded', media: video },
  },
  {
    what: 'the short format, finished, with the video in the response itself',
    body: `{"code":"success","data":{"format":"mp4","status":"succeeded","task_id":"task_1","url":"data:video/mp4;base64,${MP4}"}}`,
    expected: { media: [{ kind: 'video', base64: MP4, mediaType: 'video/mp4' }] },
  },
  {
    what: 'the short format, failed',
    body: '{"code":"success","data":{"error":{"code":13,"message":"internal"},"format":"","status":"failed","task_id":"task_1","url":""}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'internal', code: '13' } },
  },
  {
    what: 'the flat format, finished',
    body: '{"task_id":"task_1","status":"succeeded","url":"https://cdn.example/film.mp4","format":"mp4","metadata":{"duration":5,"fps":24,"width":1280,"height":720,"seed":1234567890123456789},"error":null}',
    expected: { remoteId: 'task_1', state: 'succeeded', media: video, seed: '1234567890123456789' },
  },
  {
    what: 'the flat format, failed',
    body: '{"task_id":"task_1","status":"failed","url":"","error":{"code":1001,"message":"no credit upstream"}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'no credit upstream', code: '1001' } },
  },
  {
    what: 'the /v1/videos endpoint, in progress',
    body: '{"id":"video_1","object":"video","model":"m","status":"in_progress","progress":33,"created_at":1767225600,"seconds":"4","size":"720x1280"}',
    expected: { remoteId: 'video_1', state: 'running', progress: 33 },
  },
  {
    what: 'the /v1/videos endpoint, with a status that means unknown',
    body: '{"id":"video_1","object":"video","status":"unknown","progress":0}',
    expected: { state: 'queued' },
  },
  {
    what: 'the /v1/videos endpoint, completed, with the URL in the metadata',
    body: '{"id":"video_1","object":"video","status":"completed","progress":100,"completed_at":1767225660,"expires_at":1767229260,"metadata":{"url":"https://cdn.example/film.mp4"},"error":null}',
    expected: { state: 'succeeded', media: video, finishedAt: NOW + 60_000 },
  },
  {
    what: 'the /v1/videos endpoint, completed, without a URL, because the caller knows where the content is',
    body: '{"id":"video_1","object":"video","status":"completed","progress":100,"error":null}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'the /v1/videos endpoint, failed',
    body: '{"id":"video_1","object":"video","status":"failed","error":{"code":"moderation_blocked","message":"refused"}}',
    expected: { failure: { cause: 'failed', reason: 'refused', code: 'moderation_blocked' } },
  },
  {
    what: "the vendor path's own format, submitted",
    body: '{"code":0,"message":"SUCCEED","request_id":"r","data":{"task_id":"831922345719271433","task_status":"submitted","created_at":1767225600000,"updated_at":1767225600000,"task_info":{}}}',
    expected: { remoteId: '831922345719271433', state: 'queued', submittedAt: NOW },
  },
  {
    what: "the vendor path's own format, finished",
    body: '{"code":0,"message":"SUCCEED","request_id":"r","data":{"task_id":"8","task_status":"succeed","task_status_msg":"","created_at":1767225600000,"task_result":{"videos":[{"id":"v1","url":"https://cdn.example/film.mp4","duration":"5.1"}]}}}',
    expected: { remoteId: '8', state: 'succeeded', word: 'succeed' },
  },
  {
    what: "the vendor path's own format, failed: the message says SUCCEED, and the status message gives the reason",
    body: '{"code":0,"message":"SUCCEED","request_id":"r","data":{"task_id":"8","task_status":"failed","task_status_msg":"the picture shows a person"}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'the picture shows a person' } },
  },
  {
    what: "the vendor path's own format, failed without a reason",
    body: '{"code":0,"message":"SUCCEED","data":{"task_id":"8","task_status":"failed","task_status_msg":""}}',
    expected: { state: 'failed', failure: { cause: 'failed' } },
  },
  {
    what: "the vendor's complete format within the wrapped format",
    body: '{"code":"success","message":"","data":{"task_id":"task_1","status":"SUCCESS","fail_reason":"","progress":"100%","data":{"code":0,"message":"SUCCEED","data":{"task_id":"8","task_status":"succeed","task_result":{"videos":[{"url":"https://cdn.example/film.mp4"}]}}}}}',
    expected: { remoteId: 'task_1', state: 'succeeded', media: video },
  },
  {
    what: "the vendor's record within the wrapped format",
    body: '{"code":"success","data":{"task_id":"task_1","status":"SUCCESS","data":{"task_status":"succeed","task_result":{"videos":[{"url":"https://cdn.example/film.mp4"}]}}}}',
    expected: { media: video },
  },
  {
    what: "the vendor's record within the wrapped format, as JSON text",
    body: String.raw`{"code":"success","data":{"task_id":"task_1","status":"SUCCESS","data":"{\"url\":\"https://cdn.example/film.mp4\"}"}}`,
    expected: { media: video },
  },
  {
    what: 'several videos with their known properties',
    body: '{"task_id":"t","status":"done","videos":[{"url":"https://cdn.example/film.mp4","duration":"5.1","cover_url":"https://cdn.example/c.png"},{"url":"https://cdn.example/2.mp4"}]}',
    expected: {
      media: [
        {
          kind: 'video',
          address: 'https://cdn.example/film.mp4',
          seconds: 5.1,
          thumbnail: 'https://cdn.example/c.png',
        },
        { kind: 'video', address: 'https://cdn.example/2.mp4' },
      ],
    },
  },
  {
    what: 'a URL under content',
    body: '{"id":"cgt-1","model":"m","status":"succeeded","content":{"video_url":"https://cdn.example/film.mp4"},"usage":{"total_tokens":9},"created_at":1767225600}',
    expected: { remoteId: 'cgt-1', media: video },
  },
  {
    what: 'a relative path of the gateway, which requires the key',
    body: '{"id":"video_1","status":"completed","url":"/v1/videos/video_1/content"}',
    expected: { media: [{ kind: 'video', address: 'https://gateway.example/v1/videos/video_1/content' }] },
  },
  {
    what: 'a URL from a gateway that believes its host is localhost',
    body: '{"id":"video_1","status":"completed","url":"http://localhost:3000/v1/videos/video_1/content"}',
    expected: { media: [{ kind: 'video', address: 'https://gateway.example/v1/videos/video_1/content' }] },
  },
  {
    what: 'a task id as a bare number beyond 2^53',
    body: '{"task_id":7300000000000000001,"status":"processing"}',
    expected: { remoteId: '7300000000000000001' },
  },
  {
    what: 'a task id as a small bare number',
    body: '{"task_id":12345,"status":"processing"}',
    expected: { remoteId: '12345' },
  },
  {
    what: 'a number in `id` is the key of a database row, not a task id',
    body: '{"code":"success","data":{"id":42,"status":"QUEUED"}}',
    expected: { remoteId: undefined, state: 'queued' },
  },
  {
    what: 'an expired task',
    body: '{"id":"cgt-1","status":"expired"}',
    expected: { state: 'failed', failure: { cause: 'expired' } },
  },
  {
    what: 'a cancelled task with an upper-case status',
    body: '{"task_id":"t","status":"CANCELED","progress":"45"}',
    expected: { state: 'failed', progress: 45, failure: { cause: 'cancelled' } },
  },
  {
    what: 'a failure with a reason',
    body: '{"task_id":"t","status":"rejected","reason":"the prompt names a person"}',
    expected: { failure: { cause: 'failed', reason: 'the prompt names a person' } },
  },
  {
    what: 'a failure with a reason in the vendor record',
    body: '{"code":"success","data":{"task_id":"t","status":"FAILURE","fail_reason":"","data":{"error":{"code":"E1","message":"blocked"}}}}',
    expected: { failure: { cause: 'failed', reason: 'blocked', code: 'E1' } },
  },
  {
    what: 'a result in an unknown place is found and logged; the input of the request is not a result',
    body: '{"task_id":"t","status":"succeeded","creations":[{"id":"c","href":"https://cdn.example/film.mp4","cover":"https://cdn.example/c.png"}],"prompt":"https://me.example/p.mp4","reference_video_urls":["https://me.example/r.mp4"],"first_frame_image":"https://me.example/f.png","image_tail":"https://me.example/t.png","callback_url":"https://me.example/cb.mp4"}',
    expected: { media: video, isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a reference image that the task repeats is not its result',
    body: '{"task_id":"t","status":"succeeded","model":"m","image":"https://me.example/reference.png","images":["https://me.example/a.png","https://me.example/b.png"],"url":""}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'a URL without a scheme looks like base64 of audio, but is not',
    body: '{"task_id":"t","status":"succeeded","artifact":"//videos.cdn.example/2026/01/31/0123456789abcdef0123456789abcdef/film.mp4"}',
    expected: { media: [], isEmpty: true },
  },
  {
    what: 'an unknown status means running and is logged once',
    body: '{"code":"success","data":{"task_id":"t","status":"WARMING UP","data":{"status":"strange"}}}',
    expected: { state: 'running', word: 'WARMING UP' },
    notices: ['word warming_up'],
  },
];
