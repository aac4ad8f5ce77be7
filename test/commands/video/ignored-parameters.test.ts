import { describe, expect, it } from 'vitest';
import type { VideoRequest } from '../../../src/commands/video/request.ts';
import { ignoredParameters, requestedParameters } from '../../../src/commands/video/view.ts';
import type { MediumFacts } from '../../../src/messages/kind-view.ts';
import { buildTask } from '../../services/orders/builders.ts';

const describeIgnored = (request: Partial<VideoRequest>, facts: MediumFacts): string[] =>
  ignoredParameters(requestedParameters({ prompt: 'waves', model: 'reel-2', ...request }), facts).map(
    ({ parameter, requestedValue, location }) => `${parameter} ${requestedValue} ${location}`,
  );

describe('The ignored parameters of a video', () => {
  it.each([
    [{ size: '1280x720' }, { width: 640, height: 360 }, ['size 1280x720 top']],
    [{ size: '1280x720' }, { width: 1280, height: 704 }, []],
    [{ size: '1280x720' }, {}, []],
    [{ aspectRatio: '16:9' }, { width: 1024, height: 1024 }, ['aspect_ratio 16:9 top']],
    [{ aspectRatio: '16:9' }, { width: 848, height: 480 }, []],
    [{ aspectRatio: '9:16' }, { width: 848, height: 480 }, ['aspect_ratio 9:16 top']],
    [{ resolution: '720p' }, { width: 854, height: 480 }, ['resolution 720p top']],
    [{ resolution: '720p' }, { width: 720, height: 1280 }, []],
    [{ duration: 10 }, { seconds: 5.04 }, ['duration 10 top']],
    [{ duration: '5' }, { seconds: 5.4 }, []],
    [{ duration: 20 }, { seconds: 18.2 }, []],
    [{ duration: 5 }, { width: 10, height: 10 }, []],
    [{ metadata: { duration: 10 } }, { seconds: 5 }, ['duration 10 metadata']],
    [{ extra: { seconds: '8' } }, { seconds: 5 }, ['duration 8 top']],
    [{ duration: 5, metadata: { duration: 10 } }, { seconds: 5 }, []],
    [{ metadata: { size: '16:9', resolution: 'high', aspect_ratio: { a: 1 } } }, { width: 10, height: 10 }, []],
    [
      { size: '1920x1080', duration: 10 },
      { width: 10, height: 10, seconds: 1 },
      ['size 1920x1080 top', 'duration 10 top'],
    ],
  ])('If %j was requested and the video has %j, the ignored parameters are %j', (request, facts, expected) => {
    expect(describeIgnored(request, facts)).toEqual(expected);
  });

  it('A stored request whose fields have a different shape is not read and has no ignored parameters', () => {
    const malformed = { prompt: 'waves', model: 'reel-2', metadata: 'none', extra: null };
    expect(() => buildTask({ kind: 'video', request: malformed })).toThrow('request.metadata, request.extra');
  });
});
