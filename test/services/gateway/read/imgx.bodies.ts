import type { BodyCase } from './body.ts';

const UUID = '0c5b1c1e-5a0e-4f4c-9a2b-1f7d0a6e2b11';

export const imgxBodies: BodyCase[] = [
  {
    what: 'a task that has not begun',
    body: '{"id":"1711217942120945","action":"IMAGINE","prompt":"a cat","status":"NOT_START","progress":"0%","imageUrl":null,"failReason":null}',
    expected: {
      remoteId: '1711217942120945',
      state: 'queued',
      word: 'NOT_START',
      progress: 0,
      action: 'IMAGINE',
      media: [],
      failure: undefined,
      isEmpty: false,
    },
  },
  {
    what: 'a task with an empty status counts as queued',
    body: '{"id":"1711217942120945","action":"IMAGINE","status":"","progress":""}',
    expected: { state: 'queued', word: '', progress: undefined },
  },
  {
    what: 'a task whose state is null counts as queued',
    body: '{"id":"1711217942120945","action":"IMAGINE","status":null,"progress":null,"imageUrl":null,"buttons":null}',
    expected: { state: 'queued', word: '', progress: undefined, actions: [] },
  },
  {
    what: 'an image next to a null state is a preview, because in this family an image is only final with SUCCESS',
    body: '{"id":"17","action":"IMAGINE","status":null,"progress":"46%","imageUrl":"https://cdn.example/half.webp"}',
    expected: { media: [], preview: { kind: 'image', address: 'https://cdn.example/half.webp' }, progress: 46 },
  },
  {
    what: 'a submitted task',
    body: '{"id":"17","action":"UPSCALE","status":"SUBMITTED","submitTime":1711217942120,"startTime":0,"finishTime":0}',
    expected: { state: 'queued', submittedAt: 1711217942120, startedAt: undefined, finishedAt: undefined },
  },
  {
    what: 'a running task with a preview',
    body: '{"id":"17","action":"IMAGINE","status":"IN_PROGRESS","progress":"46%","imageUrl":"https://cdn.example/half.webp?rand=7"}',
    expected: {
      state: 'running',
      progress: 46,
      media: [],
      preview: { kind: 'image', address: 'https://cdn.example/half.webp?rand=7' },
      isEmpty: false,
    },
  },
  {
    what: 'a running task whose preview is in a list',
    body: '{"id":"17","status":"IN_PROGRESS","progress":"93%","imageUrl":"","imageUrls":[{"url":"https://cdn.example/p.webp","thumbnail":"https://cdn.example/t.webp"}]}',
    expected: {
      media: [],
      preview: { kind: 'image', address: 'https://cdn.example/p.webp', thumbnail: 'https://cdn.example/t.webp' },
    },
  },
  {
    what: 'a running task with only a thumbnail',
    body: '{"id":"17","status":"IN_PROGRESS","progress":"10%","thumbnailUrl":"https://cdn.example/t.webp"}',
    expected: { preview: { kind: 'image', address: 'https://cdn.example/t.webp' } },
  },
  {
    what: 'a finished grid in the format of a stock gateway',
    body: `{"id":"1711217942120945","action":"IMAGINE","customId":"","botType":"","prompt":"a cat","promptEn":"a cat","description":"/imagine a cat","state":"","submitTime":1711217942120,"startTime":1711217944908,"finishTime":1711217980856,"imageUrl":"https://cdn.example/grid.png","videoUrl":"","videoUrls":[],"status":"SUCCESS","progress":"100%","failReason":"","buttons":[{"customId":"MJ::JOB::upsample::1::${UUID}","emoji":"","label":"U1","type":2,"style":2},{"customId":"MJ::JOB::reroll::0::${UUID}::SOLO","emoji":"🔄","label":"","type":2,"style":1}],"maskBase64":"","properties":{"finalPrompt":"a cat --v 7","finalZhPrompt":""}}`,
    expected: {
      remoteId: '1711217942120945',
      state: 'succeeded',
      word: 'SUCCESS',
      progress: 100,
      action: 'IMAGINE',
      media: [{ kind: 'image', address: 'https://cdn.example/grid.png' }],
      preview: undefined,
      tracks: [],
      text: 'a cat --v 7',
      actions: [
        { customId: `MJ::JOB::upsample::1::${UUID}`, label: 'U1', emoji: '', style: 2 },
        { customId: `MJ::JOB::reroll::0::${UUID}::SOLO`, label: '', emoji: '🔄', style: 1 },
      ],
      failure: undefined,
      isEmpty: false,
      submittedAt: 1711217942120,
      startedAt: 1711217944908,
      finishedAt: 1711217980856,
    },
  },
  {
    what: 'four images take precedence over the grid that shows them all',
    body: '{"id":"17","action":"IMAGINE","status":"SUCCESS","imageUrl":"https://cdn.example/grid.png","imageUrls":[{"url":"https://cdn.example/1.png","thumbnail":"https://cdn.example/1t.webp"},{"url":"https://cdn.example/2.png"},{"url":"https://cdn.example/3.png"},{"url":"https://cdn.example/4.png"}],"seed":"8123","width":2048}',
    expected: {
      media: [
        { kind: 'image', address: 'https://cdn.example/1.png', thumbnail: 'https://cdn.example/1t.webp' },
        { kind: 'image', address: 'https://cdn.example/2.png' },
        { kind: 'image', address: 'https://cdn.example/3.png' },
        { kind: 'image', address: 'https://cdn.example/4.png' },
      ],
      seed: '8123',
    },
  },
  {
    what: 'an image under the snake-case name',
    body: '{"task_id":"17","status":"success","image_url":"https://cdn.example/1.png"}',
    expected: { remoteId: '17', media: [{ kind: 'image', address: 'https://cdn.example/1.png' }] },
  },
  {
    what: 'an image among the properties',
    body: '{"id":"17","status":"SUCCESS","action":"UPSCALE","imageUrl":null,"properties":{"imageUrl":"https://cdn.example/1.png"}}',
    expected: { media: [{ kind: 'image', address: 'https://cdn.example/1.png' }], isEmpty: false },
  },
  {
    what: 'videos take precedence over the still image next to them',
    body: '{"id":"17","action":"VIDEO","status":"SUCCESS","imageUrl":"https://cdn.example/still.png","videoUrls":[{"url":"https://cdn.example/1.mp4","thumbnail":"https://cdn.example/1.webp"},{"url":"https://cdn.example/2.mp4"}]}',
    expected: {
      media: [
        { kind: 'video', address: 'https://cdn.example/1.mp4', thumbnail: 'https://cdn.example/1.webp' },
        { kind: 'video', address: 'https://cdn.example/2.mp4' },
      ],
    },
  },
  {
    what: 'videos listed as JSON text',
    body: String.raw`{"id":"17","action":"VIDEO","status":"SUCCESS","videoUrls":"[{\"url\":\"https://cdn.example/1.mp4\"}]"}`,
    expected: { media: [{ kind: 'video', address: 'https://cdn.example/1.mp4' }] },
  },
  {
    what: 'a single video',
    body: '{"id":"17","action":"VIDEO","status":"SUCCESS","videoUrl":"https://cdn.example/1.mp4","videoUrls":[]}',
    expected: { media: [{ kind: 'video', address: 'https://cdn.example/1.mp4' }] },
  },
  {
    what: 'a failure with a reason and an empty progress',
    body: '{"id":"17","action":"IMAGINE","status":"FAILURE","progress":"","failReason":" banned prompt ","imageUrl":"https://cdn.example/half.webp"}',
    expected: {
      state: 'failed',
      progress: undefined,
      media: [],
      failure: { cause: 'failed', reason: 'banned prompt' },
      isEmpty: false,
    },
  },
  {
    what: 'a failure whose description only repeats the prompt has no reason',
    body: '{"id":"17","action":"IMAGINE","status":"FAILURE","progress":"0%","failReason":null,"description":"/imagine a cat"}',
    expected: { state: 'failed', failure: { cause: 'failed' } },
  },
  {
    what: 'a failure explained in the description',
    body: '{"id":"17","status":"FAILURE","failReason":"","description":"the queue was emptied"}',
    expected: { failure: { cause: 'failed', reason: 'the queue was emptied' } },
  },
  {
    what: 'a cancelled task',
    body: '{"id":"17","action":"IMAGINE","status":"CANCEL","progress":"12%"}',
    expected: { state: 'failed', progress: 12, failure: { cause: 'cancelled' }, media: [] },
  },
  {
    what: 'a task that is waiting for a prompt',
    body: '{"id":"17","action":"CUSTOM_ZOOM","status":"MODAL","progress":"0%","properties":{"finalPrompt":"a cat --zoom 2","remix":true}}',
    expected: { state: 'needs-input', text: 'a cat --zoom 2', media: [], failure: undefined },
  },
  {
    what: 'a task that is waiting for a prompt and suggests none',
    body: '{"id":"17","action":"INPAINT","status":"MODAL","prompt":"","properties":{"finalPrompt":""}}',
    expected: { state: 'needs-input', text: undefined },
  },
  {
    what: 'a finished description',
    body: String.raw`{"id":"17","action":"DESCRIBE","status":"SUCCESS","imageUrl":"","properties":{"finalPrompt":"1️⃣ a cat\n\n2️⃣ a dog"}}`,
    expected: { state: 'succeeded', text: '1️⃣ a cat\n\n2️⃣ a dog', media: [], isEmpty: false },
  },
  {
    what: 'a finished description whose text is in promptEn, with a lower-case action',
    body: '{"id":"17","action":"describe","status":"SUCCESS","prompt":"","promptEn":"1️⃣ a cat","properties":{}}',
    expected: { action: 'DESCRIBE', text: '1️⃣ a cat', isEmpty: false },
  },
  {
    what: 'a finished shortening whose text is in the description',
    body: '{"id":"17","action":"SHORTEN","status":"SUCCESS","promptEn":"","description":"Shortened prompts: 1. a cat","buttons":[]}',
    expected: { text: 'Shortened prompts: 1. a cat', isEmpty: false, media: [] },
  },
  {
    what: 'a finished description whose text is nested',
    body: '{"id":"17","action":"DESCRIBE","status":"SUCCESS","data":{"properties":{"finalPrompt":"1️⃣ a cat"}}}',
    expected: { text: '1️⃣ a cat', isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a finished description whose lines are a nested list',
    body: '{"id":"17","action":"DESCRIBE","status":"SUCCESS","imageUrl":"https://cdn.example/1.png","output":{"prompts":["a cat","a dog"]}}',
    expected: { text: 'a cat\na dog', media: [], isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a finished description whose nested text has an unmistakable name, without an action',
    body: '{"id":"17","status":"SUCCESS","result":{"final_prompt":"a cat"}}',
    expected: { text: 'a cat', isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a finished shortening whose text is nested, next to its own prompt',
    body: '{"id":"17","action":"SHORTEN","status":"SUCCESS","prompt":"a cat on a mat","result":{"text":"a cat"}}',
    expected: { text: 'a cat' },
    notices: ['walked'],
  },
  {
    what: 'the nested prompt of a request is not a text',
    body: '{"id":"17","action":"SHORTEN","status":"SUCCESS","request":{"prompt":"a cat on a mat"},"buttons":[{"text":"U1"}]}',
    expected: { text: undefined, isEmpty: true },
  },
  {
    what: 'the nested prompt of an image is not a text',
    body: '{"id":"17","status":"SUCCESS","result":{"prompt":"a cat"}}',
    expected: { text: undefined, isEmpty: true },
  },
  {
    what: 'two different nested texts of the same name are none',
    body: '{"id":"17","action":"DESCRIBE","status":"SUCCESS","result":{"text":"a cat"},"output":{"text":"a dog"}}',
    expected: { text: undefined, isEmpty: true },
  },
  {
    what: 'the text of an unfinished description is not its result',
    body: '{"id":"17","action":"DESCRIBE","status":"IN_PROGRESS","promptEn":"/describe","description":"/describe"}',
    expected: { state: 'running', text: undefined },
  },
  {
    what: 'a finished description without text has no result',
    body: '{"id":"17","action":"DESCRIBE","status":"SUCCESS","promptEn":"","properties":{"finalPrompt":""}}',
    expected: { state: 'succeeded', text: undefined, isEmpty: true },
  },
  {
    what: 'buttons as JSON text',
    body: String.raw`{"id":"17","status":"SUCCESS","imageUrl":"https://cdn.example/1.png","buttons":"[{\"customId\":\"MJ::JOB::variation::2::x\",\"label\":\"V2\",\"style\":\"2\"}]"}`,
    expected: { actions: [{ customId: 'MJ::JOB::variation::2::x', label: 'V2', emoji: '', style: 2 }] },
  },
  {
    what: 'buttons with unusual emoji, numeric labels or snake case, or without an id',
    body: '{"id":"17","status":"SUCCESS","imageUrl":"https://cdn.example/1.png","buttons":[{"customId":"a","emoji":"upscale_1","label":"Upscale (Subtle)"},{"custom_id":"b","emoji":{"name":"🔍","id":null},"label":null},{"customId":"c","emoji":null,"label":4},{"customId":"","label":"lost"},null,"text"]}',
    expected: {
      actions: [
        { customId: 'a', label: 'Upscale (Subtle)', emoji: 'upscale_1' },
        { customId: 'b', label: '', emoji: '🔍' },
        { customId: 'c', label: '4', emoji: '' },
      ],
    },
  },
  {
    what: 'an id as a bare number beyond 2^53',
    body: '{"id":1320098173412546123,"status":"IN_PROGRESS","progress":"5%"}',
    expected: { remoteId: '1320098173412546123' },
  },
  {
    what: 'an id as a bare number of sixteen digits',
    body: '{"id":1711217942120945,"status":"IN_PROGRESS","progress":5}',
    expected: { remoteId: '1711217942120945', progress: 5 },
  },
  {
    what: 'a proxied image from a gateway that does not know its own host name',
    body: '{"id":"17","status":"SUCCESS","imageUrl":"http://localhost:3000/mj/image/17"}',
    expected: { media: [{ kind: 'image', address: 'https://gateway.example/mj/image/17' }] },
  },
  {
    what: 'a proxied image from a gateway whose configured name ends with a slash',
    body: '{"id":"17","status":"SUCCESS","imageUrl":"http://localhost:3000//mj/image/17"}',
    expected: { media: [{ kind: 'image', address: 'https://gateway.example/mj/image/17' }] },
  },
  {
    what: 'a proxied image at an internal host is fetched from the gateway itself',
    body: '{"id":"17","status":"SUCCESS","imageUrl":"http://gateway-internal:3000/mj/image/17"}',
    expected: { media: [{ kind: 'image', address: 'https://gateway.example/mj/image/17' }] },
  },
  {
    what: 'an image at a relative path of the gateway',
    body: '{"id":"17","status":"SUCCESS","imageUrl":"/imgx/image/17?rand=1"}',
    expected: { media: [{ kind: 'image', address: 'https://gateway.example/imgx/image/17?rand=1' }] },
  },
  {
    what: 'the caller’s own tag in `state` is not a status',
    body: '{"id":"17","state":"done","status":"IN_PROGRESS","progress":"1%"}',
    expected: { state: 'running', word: 'IN_PROGRESS' },
  },
  {
    what: 'the caller’s own tag in `state` is not a status even if there is no status',
    body: '{"id":"17","state":"failed"}',
    expected: { state: 'queued', word: '' },
  },
  {
    what: 'an unknown status means running and is logged',
    body: '{"id":"17","status":"Up-Sampling","progress":"60%"}',
    expected: { state: 'running', word: 'Up-Sampling', progress: 60, failure: undefined },
    notices: ['word up_sampling'],
  },
  {
    what: 'a success without an image has no result',
    body: '{"id":"17","action":"IMAGINE","status":"SUCCESS","progress":"100%","imageUrl":"","prompt":"a cat","properties":{"finalPrompt":"a cat"}}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'the images of the request are not the result',
    body: '{"id":"17","action":"BLEND","status":"SUCCESS","imageUrl":"","base64Array":["data:image/png;base64,iVBORw0KGgo="],"maskBase64":"data:image/png;base64,iVBORw0KGgo=","notifyHook":"https://me.example/hook.png"}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'a task within an envelope',
    body: '{"code":1,"description":"success","data":{"id":"17","status":"SUCCESS","imageUrl":"https://cdn.example/1.png"}}',
    expected: { remoteId: '17', state: 'succeeded', media: [{ kind: 'image', address: 'https://cdn.example/1.png' }] },
  },
  {
    what: 'a list with one task',
    body: '[{"id":"17","status":"IN_PROGRESS","progress":"33%"}]',
    expected: { remoteId: '17', state: 'running', progress: 33 },
  },
  {
    what: 'times as a string of seconds and as an ISO date',
    body: '{"id":"17","status":"IN_PROGRESS","submitTime":"1711217942","startTime":"2024-03-23T18:19:04.908Z"}',
    expected: { submittedAt: 1711217942000, startedAt: 1711217944908 },
  },
  {
    what: 'a result in an unknown place is found and logged',
    body: '{"id":"17","action":"OUTPAINT","status":"SUCCESS","prompt":"like https://me.example/mine.png","result":{"files":[{"href":"https://cdn.example/new.webp?x=1"}]}}',
    expected: { media: [{ kind: 'image', address: 'https://cdn.example/new.webp?x=1' }], isEmpty: false },
    notices: ['walked'],
  },
];
