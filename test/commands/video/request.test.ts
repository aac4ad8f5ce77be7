import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type VideoValues, videoOrder, videoRequest } from '../../../src/commands/video/request.ts';
import { Refusal, throwIfRefusal } from '../../../src/lib/refusal.ts';

const fields = { referenceVideos: 'reference_video_urls', referenceAudios: 'reference_audio_urls' };
const order = (values: Partial<VideoValues>, configuredFields: Parameters<typeof videoOrder>[1]['fields'] = fields) =>
  videoOrder(throwIfRefusal(videoRequest({ prompt: 'waves', ...values })), {
    model: 'reel-2',
    fields: configuredFields,
  });
const requestOf = (values: Partial<VideoValues>) => order(values).request;

function keyOf(action: () => unknown): string {
  try {
    action();
    return 'nothing';
  } catch (error) {
    if (error instanceof Refusal) return error.key;
    throw error;
  }
}

const image = (number: number) => ({
  id: String(number),
  name: `${number}.png`,
  address: `https://cdn.example/${number}.png`,
  size: 10,
  mediaType: 'image/png',
});

describe('A request for a video', () => {
  it('A request for a video contains only the given options', () => {
    expect(order({})).toEqual({ kind: 'video', request: { prompt: 'waves', model: 'reel-2' } });
  });

  it.each([
    ['1280x720', { size: '1280x720' }],
    [' 1280 × 720 ', { size: '1280x720' }],
    ['1280X720', { size: '1280x720' }],
    ['16:9', { aspectRatio: '16:9' }],
    ['2.39 : 1', { aspectRatio: '2.39:1' }],
    ['720p', { resolution: '720p' }],
    ['1080P', { resolution: '1080p' }],
    ['', {}],
  ])('A request for a video sends the size %s under the matching name', (size, sent) => {
    expect(requestOf({ size })).toEqual({ prompt: 'waves', model: 'reel-2', ...sent });
  });

  it.each(['big', '720', '16/9', '0x720', '16:0', '1280x', '2K', '1280x720x3', '-16:9', '1e3x100'])(
    'A request for a video with the size %s is refused',
    (size) => expect(keyOf(() => order({ size }))).toBe('refusals.sizeInvalid'),
  );

  it.each([
    ['5', 5],
    ['10', 10],
    ['5.5', '5.5'],
    ['05', '05'],
    ['5.0', '5.0'],
    [' 8 ', 8],
  ])('A request for a video sends the duration %s as %j', (duration, sent) =>
    expect(requestOf({ duration }).duration).toBe(sent),
  );

  it.each(['five', '0', '-5', '5 s', '1e2', '٥', '0.0', 'Infinity'])(
    'A request for a video with the duration %s is refused',
    (duration) => {
      expect(keyOf(() => order({ duration }))).toBe('refusals.durationInvalid');
    },
  );

  it('A request for a video sends model-specific parameters in the metadata and the mode at the top level', () => {
    const values = { negative: ' people ', seed: 7, camera: 'slow zoom', mode: ' pro ', extra: '{"cfg_scale":0.5}' };
    expect(requestOf(values)).toEqual({
      prompt: 'waves',
      model: 'reel-2',
      mode: 'pro',
      metadata: { negative_prompt: 'people', seed: 7, camera_control: 'slow zoom', cfg_scale: 0.5 },
    });
  });

  it('A request for a video sends a camera option in JSON as an object', () => {
    const camera = '{"type":"simple","config":{"zoom":5}}';
    expect(requestOf({ camera }).metadata).toEqual({ camera_control: { type: 'simple', config: { zoom: 5 } } });
    for (const invalid of ['{zoom}', '{"zoom":1e999}', '{"__proto__":{}}'])
      expect(keyOf(() => order({ camera: invalid }))).toBe('refusals.cameraInvalid');
  });

  it('A request for a video sends keys of `extra` that begin with ! at the top level and all others in the metadata', () => {
    expect(requestOf({ extra: '{"!fps":24,"bgm":true,"!seconds":"5","size":"640x360"}' })).toEqual({
      prompt: 'waves',
      model: 'reel-2',
      metadata: { bgm: true, size: '640x360' },
      extra: { fps: 24, seconds: '5' },
    });
  });

  it.each([
    ['{broken', 'extraInvalid'],
    ['[1]', 'extraNotAnObject'],
    ['"text"', 'extraNotAnObject'],
    ['null', 'extraNotAnObject'],
    [`${'{"a":'.repeat(7)}1${'}'.repeat(7)}`, 'extraTooDeep'],
    [`{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'extraTooDeep'],
    ['{"!size":"1x1"}', 'extraHasOption'],
    ['{"!model":"other"}', 'extraHasOption'],
    ['{"model_name":"other"}', 'extraHasOption'],
    ['{"!metadata":{}}', 'extraHasOption'],
    ['{"seed":1}', 'extraHasOption'],
    ['{"!reference_video_urls":[]}', 'extraHasOption'],
    ['{"!":1}', 'extraKeyInvalid'],
    ['{"__proto__":{"x":1}}', 'extraKeyInvalid'],
    ['{"!__proto__":{"x":1}}', 'extraKeyInvalid'],
    ['{"a":{"constructor":1}}', 'extraKeyInvalid'],
    ['{"a":12345678901234567890}', 'extraNumberTooLarge'],
    ['{"a":1e999}', 'extraNumberTooLarge'],
  ])('A request for a video is refused if `extra` is %s', (extra, key) => {
    expect(keyOf(() => order({ extra }))).toBe(`refusals.${key}`);
  });

  it('A request for a video writes `extra` only to the metadata and the top level, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 3 }), fc.string()), (extra) => {
        const key = keyOf(() => {
          const { metadata = {}, extra: topLevel = {}, ...rest } = requestOf({ extra });
          expect(rest).toEqual({ prompt: 'waves', model: 'reel-2' });
          expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
          expect(Object.keys(topLevel as object)).not.toContain('model');
        });
        expect(key).toMatch(/^(nothing|refusals\.extra)/);
      }),
    );
    expect('x' in {}).toBe(false);
  });

  it('A request for a video lists its files and links in order, then its videos and audio', () => {
    const values = {
      image: image(1),
      image2: image(2),
      links: 'https://a.example/3.png',
      reference_video: 'https://a.example/v.mp4',
      reference_audio: '<https://a.example/s.mp3>',
    };
    expect(requestOf(values).references).toEqual([
      { address: 'https://cdn.example/1.png', name: '1.png', medium: 'any', takes: 'address or data' },
      { address: 'https://cdn.example/2.png', name: '2.png', medium: 'any', takes: 'address or data' },
      { address: 'https://a.example/3.png', name: '3.png', medium: 'any', takes: 'address or data' },
      { address: 'https://a.example/v.mp4', name: 'v.mp4', medium: 'video', takes: 'address' },
      { address: 'https://a.example/s.mp3', name: 's.mp3', medium: 'audio', takes: 'address' },
    ]);
  });

  it('A request for a video sends the face check only if a field is configured for it, and is otherwise marked as not sending it', () => {
    expect(requestOf({ face_check: false })).toEqual({ prompt: 'waves', model: 'reel-2', notSent: ['face_check'] });
    expect(order({ face_check: false }, { ...fields, faceCheck: 'face' }).request).toHaveProperty('faceCheck', false);
    expect(keyOf(() => order({ extra: '{"!face":true}' }, { ...fields, faceCheck: 'face' }))).toBe(
      'refusals.extraHasOption',
    );
  });
});

describe('The requests of the other video endpoints', () => {
  it('The request of the vendor endpoint contains an image, a prompt, the duration as a number and a mode', () => {
    const values = { endpoint: 'image-to-video', image: image(1), duration: '5.0', mode: 'std' };
    expect(order(values)).toEqual({
      kind: 'image-to-video',
      request: {
        prompt: 'waves',
        model: 'reel-2',
        duration: 5,
        mode: 'std',
        references: [{ address: 'https://cdn.example/1.png', name: '1.png', medium: 'image', takes: 'address' }],
      },
    });
  });

  it('The request of /v1/videos contains the generic parameters and one image', () => {
    const values = { endpoint: 'videos', image: image(1), size: '720p', duration: '4', seed: 1 };
    expect(order(values)).toEqual({
      kind: 'second-video',
      request: {
        prompt: 'waves',
        model: 'reel-2',
        duration: 4,
        resolution: '720p',
        metadata: { seed: 1 },
        references: [
          { address: 'https://cdn.example/1.png', name: '1.png', medium: 'image', takes: 'address or data' },
        ],
      },
    });
  });

  it.each([
    ['image-to-video', 'kling-v2-1', 'nothing'],
    ['image-to-video', 'veo3', 'refusals.endpointTakesOneImage'],
    ['image-to-video', 'reel-2', 'refusals.endpointTakesOneImage'],
    ['videos', 'kling-v2-1', 'nothing'],
    ['videos', 'veo3', 'nothing'],
    ['videos', 'reel-2', 'refusals.endpointTakesOneImage'],
  ])('Two images at the endpoint %s need a model that accepts a last frame there: %s, %s', (endpoint, model, key) => {
    const draft = throwIfRefusal(videoRequest({ prompt: 'waves', endpoint, image: image(1), image2: image(2) }));
    expect(keyOf(() => videoOrder(draft, { model, fields }))).toBe(key);
  });

  it.each([
    ['the vendor endpoint without an image', { endpoint: 'image-to-video' }, 'imageRequired'],
    [
      'three images at the vendor endpoint',
      { endpoint: 'image-to-video', image: image(1), image2: image(2), image3: image(3) },
      'endpointTakesTwoImages',
    ],
    [
      'three images at /v1/videos',
      { endpoint: 'videos', image: image(1), image2: image(2), links: 'https://a.example/2.png' },
      'endpointTakesTwoImages',
    ],
    [
      'a size at the vendor endpoint',
      { endpoint: 'image-to-video', image: image(1), size: '16:9' },
      'optionNotSupported',
    ],
    ['a face check at /v1/videos', { endpoint: 'videos', face_check: false }, 'optionNotSupported'],
    [
      'a reference video at /v1/videos',
      { endpoint: 'videos', reference_video: 'https://a.example/v.mp4' },
      'optionNotSupported',
    ],
    ['`!seconds` at /v1/videos', { endpoint: 'videos', extra: '{"!seconds":"5"}' }, 'extraHasOption'],
    ['an unknown endpoint', { endpoint: 'other' }, 'unknownCommand'],
    ['an empty prompt', { prompt: ' \u200b ' }, 'optionPromptEmpty'],
    ['21 links', { links: 'https://a.example/8.png '.repeat(21) }, 'tooManyImages'],
    ['21 reference videos', { reference_video: 'https://a.example/v.mp4 '.repeat(21) }, 'tooManyUrls'],
    ['audio that is not a URL', { reference_audio: 'song.mp3' }, 'urlInvalid'],
    ['an empty file', { image: { ...image(1), size: 0 } }, 'imageEmpty'],
    ['an executable', { image: { ...image(1), mediaType: 'application/x-msdownload' } }, 'notMedia'],
  ] satisfies [string, Partial<VideoValues>, string][])('The validation of /video refuses %s', (_, values, key) => {
    expect(videoRequest({ prompt: 'waves', ...values })).toHaveProperty('key', `refusals.${key}`);
  });
});
