import { describe, expect, it } from 'vitest';
import { PNG, read } from './body.ts';

/** A URL without a file extension, so that the reader's last-resort search cannot find it. */
const RESULT_URL = 'https://cdn.example/f/1?sig=x';

/** Sets the value at a path such as `data.videos[0].url` in an object that may already have fields. */
function setPath(path: string, value: unknown, target: Record<string, unknown> = {}): Record<string, unknown> {
  const dot = path.indexOf('.');
  const segment = dot < 0 ? path : path.slice(0, dot);
  const name = segment.replace(/\[\d*\]$/, '');
  const inner = target[name] as Record<string, unknown> | undefined;
  const child = dot < 0 ? value : setPath(path.slice(dot + 1), value, inner);
  return { ...target, [name]: segment === name ? child : [child] };
}

const task = { task_id: 't', id: 't' };
const finishedTask = (word = 'succeeded') => ({ ...task, status: word });

/** Bodies with a value at this path: of a task in an envelope, and of a flat task. */
function bodiesWith(path: string, value: unknown, record: object): [string, string][] {
  const flatCase: [string, string] = ['flat', JSON.stringify(setPath(path, value, { ...record }))];
  if (!path.startsWith('data.')) return [flatCase];
  const envelope = setPath(path, value, { code: 'success', message: '', data: { ...record } });
  // Paths two records deep always have an envelope; the inner record is the vendor's.
  return path.startsWith('data.data.')
    ? [['in an envelope', JSON.stringify(envelope)]]
    : [['in an envelope', JSON.stringify(envelope)], flatCase];
}

describe('The URL of a video', () => {
  const paths = [
    'data.result_url',
    'result_url',
    'data.url',
    'url',
    'metadata.url',
    'data.metadata.url',
    'data.task_result.videos[0].url',
    'data.data.data.task_result.videos[0].url',
    'data.data.task_result.videos[0].url',
    'video.url',
    'video_url',
    'data.video_url',
    'videos[0].url',
    'output.video_url',
    'content.video_url',
    'data.data.content.video_url',
    'data.data.url',
  ];
  const cases = paths.flatMap((path) =>
    bodiesWith(path, RESULT_URL, finishedTask()).map(([format, body]) => [path, format, body] as const),
  );

  it.each(cases)('The URL of a video is found at %s, %s', (_path, _how, body) => {
    const { snapshot, notices } = read('video', body);
    expect(snapshot).toMatchObject({ state: 'succeeded', media: [{ kind: 'video', address: RESULT_URL }] });
    expect(notices).toEqual([]);
  });

  it('The URL of a video is found at data.fail_reason, where older builds put it', () => {
    const { snapshot } = read(
      'video',
      JSON.stringify({ code: 'success', data: { ...finishedTask(), fail_reason: RESULT_URL } }),
    );
    expect(snapshot.media).toEqual([{ kind: 'video', address: RESULT_URL }]);
  });
});

describe('An image of an image job', () => {
  const lists = ['data', 'result.data', 'response.data', 'data.data', 'outputs', 'images'];
  const items: [string, unknown, object][] = [
    ['url', { url: RESULT_URL }, { address: RESULT_URL }],
    ['b64_json', { b64_json: PNG }, { base64: PNG }],
    ['image_url.url', { image_url: { url: RESULT_URL } }, { address: RESULT_URL }],
    ['image_url', { image_url: RESULT_URL }, { address: RESULT_URL }],
    ['base64', { base64: PNG }, { base64: PNG }],
    ['a bare string', RESULT_URL, { address: RESULT_URL }],
  ];
  const cases = lists.flatMap((list) => items.map(([item, value, medium]) => [list, item, value, medium] as const));

  it.each(cases)('An image of an image job is found at %s[], as %s', (list, _item, value, medium) => {
    const { snapshot, notices } = read('image', JSON.stringify(setPath(list, [value], finishedTask())));
    expect(snapshot.media).toEqual([{ kind: 'image', ...medium }]);
    expect(notices).toEqual([]);
  });

  it('An image of an image job is found at result_url', () => {
    expect(read('image', JSON.stringify({ ...finishedTask(), result_url: RESULT_URL })).snapshot.media).toEqual([
      { kind: 'image', address: RESULT_URL },
    ]);
  });
});

describe('A result of the image-prompt family', () => {
  it.each([
    ['imageUrls[].url', { imageUrls: [{ url: RESULT_URL }] }, 'image'],
    ['imageUrl', { imageUrl: RESULT_URL }, 'image'],
    ['image_url', { image_url: RESULT_URL }, 'image'],
    ['properties.imageUrl', { properties: { imageUrl: RESULT_URL } }, 'image'],
    ['videoUrls[].url', { videoUrls: [{ url: RESULT_URL }] }, 'video'],
    ['videoUrls[] as bare strings', { videoUrls: [RESULT_URL] }, 'video'],
    ['videoUrl', { videoUrl: RESULT_URL }, 'video'],
    ['video_url', { video_url: RESULT_URL }, 'video'],
  ])('A result of the image-prompt family is found at %s', (_path, fields, kind) => {
    const { snapshot, notices } = read('imgx', JSON.stringify({ ...finishedTask('SUCCESS'), ...fields }));
    expect(snapshot.media).toEqual([{ kind, address: RESULT_URL }]);
    expect(notices).toEqual([]);
  });

  it.each(['properties.finalPrompt', 'finalPrompt', 'promptEn', 'description', 'prompt'])(
    'A result of the image-prompt family is found at %s if it is text',
    (path) => {
      const body = setPath(path, 'words', { ...finishedTask('SUCCESS'), action: 'DESCRIBE' });
      expect(read('imgx', JSON.stringify(body)).snapshot).toMatchObject({ text: 'words', isEmpty: false });
    },
  );
});

describe('A track of a music task', () => {
  const clip = { id: 'c1', audio_url: RESULT_URL };
  it.each([
    ['data.data[]', { code: 'success', data: { ...finishedTask('SUCCESS'), data: [clip] } }],
    ['data[] of a flat task', { ...finishedTask('SUCCESS'), data: [clip] }],
    ['data.data.clips', { code: 'success', data: { ...finishedTask('SUCCESS'), data: { clips: { c1: clip } } } }],
    ['data.clips', { code: 200, data: { ...finishedTask('completed'), clips: { c1: clip } } }],
    ['data.clips of a flat task', { ...finishedTask('completed'), data: { clips: { c1: clip } } }],
  ])('A track of a music task is found at %s', (_path, body) => {
    const { snapshot } = read('music', JSON.stringify(body));
    expect(snapshot.tracks).toMatchObject([{ id: 'c1', state: 'finished', audio: RESULT_URL }]);
    expect(snapshot.media).toEqual([{ kind: 'audio', address: RESULT_URL }]);
  });

  it.each(['audio_url', 'audioUrl', 'stream_audio_url', 'sourceAudioUrl'])(
    'A track of a music task has its audio URL under %s',
    (name) => {
      const body = { ...finishedTask('SUCCESS'), data: [{ id: 'c1', [name]: RESULT_URL }] };
      expect(read('music', JSON.stringify(body)).snapshot.tracks).toMatchObject([{ audio: RESULT_URL }]);
    },
  );

  it('A track of a music task prefers its large cover to its small one', () => {
    const body = {
      ...finishedTask('SUCCESS'),
      data: [{ ...clip, image_url: 'https://a.example/s', image_large_url: 'https://a.example/l' }],
    };
    expect(read('music', JSON.stringify(body)).snapshot.tracks).toMatchObject([{ cover: 'https://a.example/l' }]);
  });
});

describe('The lyrics of a music task', () => {
  it.each(['data.data.text', 'data.text', 'text'])('The lyrics of a music task are found at %s', (path) => {
    const record = { ...finishedTask('SUCCESS'), action: 'LYRICS' };
    for (const [, body] of bodiesWith(path, 'la la', record)) {
      expect(read('music', body).snapshot).toMatchObject({ text: 'la la', isEmpty: false });
    }
  });
});

describe('The reason for a failure', () => {
  const paths = [
    'failReason',
    'fail_reason',
    'data.fail_reason',
    'data.task_status_msg',
    'error.message',
    'data.error.message',
    'error',
    'reason',
    'message',
    'description',
  ];
  const families = ['imgx', 'image', 'video', 'music'] as const;
  const cases = paths.flatMap((path) => families.map((family) => [path, family] as const));

  it.each(cases)('The reason for a failure is found at %s, in the %s family', (path, family) => {
    const record = { ...task, status: 'failed' };
    // A reason in an envelope belongs to the state in the same envelope.
    const body = path.startsWith('data.')
      ? setPath(path, 'because', { code: 'success', data: record })
      : setPath(path, 'because', record);
    expect(read(family, JSON.stringify(body)).snapshot).toMatchObject({
      state: 'failed',
      failure: { cause: 'failed', reason: 'because' },
    });
  });

  it.each(['SUCCEED', 'success', 'Success', ''])(
    'The reason for a failure is not read from a message that says "%s"',
    (message) => {
      const body = JSON.stringify({ ...task, status: 'failed', message, description: 'because' });
      expect(read('video', body).snapshot.failure?.reason).toBe('because');
    },
  );
});

describe('The state of a task', () => {
  it.each([
    ['data.task_status', { code: 0, message: 'SUCCEED', data: { ...task, task_status: 'failed' } }],
    ['data.status', { code: 'success', data: { ...task, status: 'failed' } }],
    ['job.status', { job: { ...task, status: 'failed' } }],
    ['status', { ...task, status: 'failed' }],
    ['task_status', { ...task, task_status: 'failed' }],
    ['state', { ...task, state: 'failed' }],
    ['data.state', { code: 200, data: { ...task, state: 'failed' } }],
  ])('The state of a task is found at %s', (_path, body) => {
    for (const family of ['image', 'video', 'music'] as const) {
      expect(read(family, JSON.stringify(body)).snapshot).toMatchObject({ state: 'failed', word: 'failed' });
    }
  });

  it('The state of a task is read from status before state, and from a non-empty value before an empty one', () => {
    expect(read('video', '{"id":"t","state":"failed","status":"queued"}').snapshot.state).toBe('queued');
    expect(read('video', '{"id":"t","state":"failed","status":""}').snapshot.state).toBe('failed');
  });
});

describe('A value in place of a URL', () => {
  it.each([
    ['a sentence', 'see https://cdn.example/film.mp4'],
    ['a URL with another scheme', 'ftp://cdn.example/film.mp4'],
    ['a script URL', 'javascript:alert(1)'],
    ['a file URL', 'file:///etc/passwd'],
    ['a URL without a host', 'https://'],
    ['an empty string', ' '],
    ['a number', 17],
  ])('A value in place of a URL is ignored if it is %s', (_what, value) => {
    const { snapshot } = read('video', JSON.stringify({ ...finishedTask(), url: value }));
    expect(snapshot).toMatchObject({ media: [], isEmpty: true });
  });
});
