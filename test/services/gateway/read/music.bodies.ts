import { type BodyCase, NOW } from './body.ts';

const track = (extra: object): object => ({
  id: 'c1',
  title: 'Rain',
  state: 'finished',
  audio: 'https://cdn.example/c1.mp3',
  ...extra,
});
const audio = [{ kind: 'audio', address: 'https://cdn.example/c1.mp3' }];

export const musicBodies: BodyCase[] = [
  {
    what: 'a task that has not begun, whose data is an empty string',
    body: '{"code":"success","message":"","data":{"task_id":"9b1c","action":"MUSIC","status":"NOT_START","fail_reason":"","submit_time":1767225600,"start_time":0,"finish_time":0,"progress":"0%","data":""}}',
    expected: {
      remoteId: '9b1c',
      state: 'queued',
      action: 'MUSIC',
      tracks: [],
      media: [],
      progress: 0,
      submittedAt: NOW,
      startedAt: undefined,
    },
  },
  {
    what: 'a queued task without data',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"QUEUED","data":null}}',
    expected: { state: 'queued', tracks: [] },
  },
  {
    what: 'a running task with an empty list',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"IN_PROGRESS","progress":"0%","data":[]}}',
    expected: { state: 'running', tracks: [], isEmpty: false },
  },
  {
    what: 'a task with the status UNKNOWN counts as queued',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"UNKNOWN","data":[]}}',
    expected: { state: 'queued', failure: undefined },
  },
  {
    what: 'streaming clips of a running task are not files yet',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"IN_PROGRESS","data":[{"id":"c1","title":"Rain","status":"streaming","audio_url":"https://stream.example/?item_id=c1","image_url":"https://cdn.example/c1.jpeg","metadata":{"tags":"jazz","prompt":"la la","duration":null}}]}}',
    expected: {
      state: 'running',
      media: [],
      tracks: [
        track({
          state: 'running',
          audio: 'https://stream.example/?item_id=c1',
          cover: 'https://cdn.example/c1.jpeg',
          style: 'jazz',
          lyrics: 'la la',
        }),
      ],
    },
  },
  {
    what: 'one finished clip and one streaming clip in a running task',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"IN_PROGRESS","data":[{"id":"c1","title":"Rain","status":"complete","audio_url":"https://cdn.example/c1.mp3"},{"id":"c2","status":"streaming","audio_url":"https://stream.example/?item_id=c2"}]}}',
    expected: {
      state: 'running',
      media: [],
      tracks: [track({}), { id: 'c2', state: 'running', audio: 'https://stream.example/?item_id=c2' }],
    },
  },
  {
    what: 'a finished task with two clips',
    body: '{"code":"success","message":"","data":{"id":7,"task_id":"9b1c","action":"MUSIC","status":"SUCCESS","fail_reason":"","submit_time":1767225600,"start_time":1767225601,"finish_time":1767225660,"progress":"100%","data":[{"id":"c1","title":"Rain","status":"complete","metadata":{"tags":"jazz","prompt":"la la","duration":121.5,"error_type":null,"error_message":null},"audio_url":"https://cdn.example/c1.mp3","image_url":"https://cdn.example/c1.jpeg","image_large_url":"https://cdn.example/c1-large.jpeg","video_url":"https://cdn.example/c1.mp4","model_name":"m"},{"id":"c2","title":"Rain","status":"complete","metadata":{"duration":"95"},"audio_url":"https://cdn.example/c2.mp3"}]}}',
    expected: {
      remoteId: '9b1c',
      state: 'succeeded',
      progress: 100,
      finishedAt: NOW + 60_000,
      media: [
        {
          kind: 'audio',
          address: 'https://cdn.example/c1.mp3',
          seconds: 121.5,
          thumbnail: 'https://cdn.example/c1-large.jpeg',
        },
        { kind: 'audio', address: 'https://cdn.example/c2.mp3', seconds: 95 },
      ],
      tracks: [
        track({
          video: 'https://cdn.example/c1.mp4',
          cover: 'https://cdn.example/c1-large.jpeg',
          lyrics: 'la la',
          style: 'jazz',
          seconds: 121.5,
        }),
        { id: 'c2', title: 'Rain', state: 'finished', audio: 'https://cdn.example/c2.mp3', seconds: 95 },
      ],
      isEmpty: false,
    },
  },
  {
    what: 'a finished task whose progress stayed at zero',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","progress":"0%","data":[{"id":"c1","status":"complete","audio_url":"https://cdn.example/c1.mp3"}]}}',
    expected: { state: 'succeeded', progress: 100, media: audio },
  },
  {
    what: 'clips as a map next to the state',
    body: '{"code":200,"message":"success","data":{"task_id":"9b1c","status":"completed","clips":{"c1":{"id":"c1","title":"Rain","status":"complete","audio_url":"https://cdn.example/c1.mp3"},"c2":{"id":"c2","status":"error","metadata":{"error_message":"silence"}}}}}',
    expected: {
      state: 'succeeded',
      media: audio,
      tracks: [track({}), { id: 'c2', state: 'failed', failure: 'silence' }],
    },
  },
  {
    what: 'clips as a map within data',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":{"clips":{"c1":{"id":"c1","title":"Rain","audio_url":"https://cdn.example/c1.mp3"}}}}}',
    expected: { media: audio, tracks: [track({})] },
  },
  {
    what: 'clips as a list within data',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":{"clips":[{"id":"c1","title":"Rain","audio_url":"https://cdn.example/c1.mp3"}]}}}',
    expected: { media: audio, tracks: [track({})] },
  },
  {
    what: 'data as a map of clips by id',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":{"c1":{"id":"c1","title":"Rain","audio_url":"https://cdn.example/c1.mp3","status":"complete"}}}}',
    expected: { media: audio, tracks: [track({})] },
  },
  {
    what: 'data as a single clip',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"SUCCESS","data":{"id":"c1","title":"Rain","status":"complete","audio_url":"https://cdn.example/c1.mp3","image_url":"https://cdn.example/c1.jpeg"}}}',
    expected: {
      media: [{ ...audio[0], thumbnail: 'https://cdn.example/c1.jpeg' }],
      tracks: [track({ cover: 'https://cdn.example/c1.jpeg' })],
    },
  },
  {
    what: 'data as JSON text',
    body: String.raw`{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":"[{\"id\":\"c1\",\"title\":\"Rain\",\"audio_url\":\"https://cdn.example/c1.mp3\"}]"}}`,
    expected: { media: audio, tracks: [track({})] },
  },
  {
    what: 'a vendor envelope within data',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":{"code":0,"data":[{"id":"c1","title":"Rain","audio_url":"https://cdn.example/c1.mp3"}]}}}',
    expected: { media: audio, tracks: [track({})] },
  },
  {
    what: 'the format with sunoData and names in camel case',
    body: '{"code":200,"msg":"success","data":{"taskId":"9b1c","status":"SUCCESS","response":{"taskId":"9b1c","sunoData":[{"id":"c1","audioUrl":"","sourceAudioUrl":"https://cdn.example/c1.mp3","streamAudioUrl":"https://stream.example/c1","imageUrl":"https://cdn.example/c1.jpeg","prompt":"la la","title":"Rain","tags":"jazz","duration":198.44}]}}}',
    expected: {
      remoteId: '9b1c',
      state: 'succeeded',
      tracks: [track({ cover: 'https://cdn.example/c1.jpeg', lyrics: 'la la', style: 'jazz', seconds: 198.44 })],
    },
  },
  {
    what: 'only clips, all complete: the task is finished',
    body: '{"code":"success","data":[{"id":"c1","title":"Rain","status":"complete","audio_url":"https://cdn.example/c1.mp3"}]}',
    expected: { remoteId: undefined, state: 'succeeded', word: '', media: audio },
  },
  {
    what: 'only clips, one still streaming: the task is running',
    body: '{"code":"success","data":[{"id":"c1","status":"complete","audio_url":"https://cdn.example/c1.mp3"},{"id":"c2","status":"streaming","audio_url":"https://stream.example/c2"}]}',
    expected: { state: 'running', media: [] },
  },
  {
    what: 'only clips, all failed: the task failed, and the first one gives the reason',
    body: '{"code":"success","data":[{"id":"c1","status":"error","metadata":{"error_message":"moderated"}},{"id":"c2","status":"error"}]}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'moderated' }, media: [] },
  },
  {
    what: 'only clips, one failed and one complete: the task succeeded',
    body: '{"code":"success","data":[{"id":"c1","title":"Rain","status":"complete","audio_url":"https://cdn.example/c1.mp3"},{"id":"c2","status":"error"}]}',
    expected: { state: 'succeeded', media: audio },
  },
  {
    what: 'a finished task leaves a failed clip out of its media',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":[{"id":"c1","status":"error","audio_url":"https://cdn.example/broken.mp3","metadata":{"error_message":"silence"}},{"id":"c1","status":"complete","audio_url":"https://cdn.example/c1.mp3"}]}}',
    expected: { media: audio },
  },
  {
    what: 'a failed task with its reason in the clips',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"FAILURE","fail_reason":"","progress":"100%","data":[{"id":"c1","status":"error","metadata":{"error_type":"moderation","error_message":"the lyrics were refused"}}]}}',
    expected: { state: 'failed', media: [], failure: { cause: 'failed', reason: 'the lyrics were refused' } },
  },
  {
    what: 'a failed task with a reason at the top level and no clips',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"FAIL","fail_reason":"upstream is full","data":null}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'upstream is full' }, tracks: [] },
  },
  {
    what: 'a finished task without a clip has no result',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"MUSIC","status":"SUCCESS","data":[]}}',
    expected: { state: 'succeeded', media: [], isEmpty: true },
  },
  {
    what: 'finished lyrics',
    body: String.raw`{"code":"success","data":{"task_id":"9b1c","action":"LYRICS","status":"SUCCESS","data":{"id":"l1","text":"[Verse]\nRain","title":"Rain","status":"complete"}}}`,
    expected: { action: 'LYRICS', text: '[Verse]\nRain', isEmpty: false, media: [], tracks: [] },
  },
  {
    what: 'finished lyrics without an envelope',
    body: '{"task_id":"9b1c","action":"lyrics","status":"complete","text":"Rain"}',
    expected: { action: 'LYRICS', text: 'Rain', isEmpty: false },
  },
  {
    what: 'unfinished lyrics',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"LYRICS","status":"SUBMITTED","data":{"id":"l1","text":"","title":"","status":"submitted"}}}',
    expected: { state: 'queued', text: undefined, isEmpty: false },
  },
  {
    what: 'failed lyrics',
    body: '{"code":"success","data":{"task_id":"9b1c","action":"LYRICS","status":"FAILURE","fail_reason":"no words came","data":null}}',
    expected: { state: 'failed', failure: { cause: 'failed', reason: 'no words came' } },
  },
  {
    what: 'a clip at a relative path of the gateway and one at localhost',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":[{"id":"c1","audio_url":"/files/c1.mp3"},{"id":"c2","audio_url":"http://[::1]:3000/files/c2.mp3"}]}}',
    expected: {
      media: [
        { kind: 'audio', address: 'https://gateway.example/files/c1.mp3' },
        { kind: 'audio', address: 'https://gateway.example/files/c2.mp3' },
      ],
    },
  },
  {
    what: 'a task id as a small bare number',
    body: '{"code":"success","data":{"task_id":12345,"status":"QUEUED"}}',
    expected: { remoteId: '12345', state: 'queued' },
  },
  {
    what: 'audio of a clip in an unknown place is found and logged; the cover is not a result',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","data":[{"id":"c1","title":"Rain","status":"complete","song_path":"https://cdn.example/c1.mp3","image_url":"https://cdn.example/c1.jpeg"}]}}',
    expected: { media: audio, isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'a result in an unknown place is found and logged',
    body: '{"code":"success","data":{"task_id":"9b1c","status":"SUCCESS","artifact":{"sound":"https://cdn.example/c1.mp3"}}}',
    expected: { media: audio, isEmpty: false },
    notices: ['walked'],
  },
  {
    what: 'an unknown status means running and is logged',
    body: '{"code":200,"msg":"success","data":{"taskId":"9b1c","status":"TEXT_SUCCESS"}}',
    expected: { remoteId: '9b1c', state: 'running' },
    notices: ['word text_success'],
  },
];
