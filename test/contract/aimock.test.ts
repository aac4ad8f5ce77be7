import { LLMock } from '@copilotkit/aimock';
import { expect, it } from 'vitest';
import { compareWithExpected, knownIn, readExpected } from '../../scripts/trial/expected.ts';
import { openTrial } from '../../scripts/trial/trial.ts';
import { openEmbeddedSides } from '../scripts/trial/embedded.ts';
import { addCleanup } from '../support/ending.ts';

const VIDEO = { id: 'video-1', status: 'completed', url: 'https://files.example/video.mp4' } as const;

/** A gateway that was written by others, with a model for each of its endpoints. */
async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ host: '127.0.0.1', port: 0 });
  mock.on({ model: 'gpt-4o' }, { content: 'ready' });
  mock.on({ model: 'gpt-realtime' }, { content: 'ready' });
  mock.on({ model: 'gpt-image-1', endpoint: 'image' }, { image: { url: 'https://files.example/image.png' } });
  mock.on({ model: 'sora-2', endpoint: 'video' }, { video: VIDEO });
  mock.on({ model: 'whisper-1', endpoint: 'transcription' }, { transcription: { text: 'ready' } });
  await mock.start();
  addCleanup(() => mock.stop());
  return mock;
}

it('The trial of a gateway that others wrote says what works there, and what differs', async () => {
  const mock = await startAimock();
  const sides = await openEmbeddedSides('spec');
  addCleanup(() => sides.close());
  const config = { ...sides.config, gateway: { ...sides.config.gateway, baseUrl: mock.url } };
  const trial = await openTrial(config, { channelId: sides.channelId, pollMs: 20 });
  addCleanup(() => trial.close());
  const expected = readExpected();
  const { results } = await trial.run(
    trial.steps.filter(({ side }) => side === 'gateway'),
    { maxCost: '1', runsUnpriced: true, known: knownIn(expected) },
  );
  const named = (outcome: string): string[] => results.flatMap((one) => (one.outcome === outcome ? one.name : []));
  expect(named('worked').filter((name) => !/unknown/i.test(name))).toEqual([
    'List of models',
    'Compatible list of models',
    'Price list',
    'Usage',
    'Limit of the account',
    'Answer in one piece',
    'Streamed answer',
    'Streamed answer with a tool',
    'Video of the second entry',
    'Moderation',
    'Live conversation',
    'Transcription',
  ]);
  // It has none of these endpoints, and no endpoint for one model.
  expect(named('failed')).toEqual([
    'One model',
    'Image job',
    'Imagine',
    'Shorten',
    'Describe',
    'Blend',
    'Video',
    'Video of the vendor path',
    'Song',
  ]);
  expect(named('left out')).toEqual(['Upscale']);
  const { differences } = compareWithExpected(results, expected);
  const of = (step: string, kind: string) =>
    differences.flatMap((one) => (one.step === step && one.kind === kind ? one.what : []));
  expect(of('Unknown model', 'unknown word')).toEqual(['$.error.type is not_found, expected invalid_request_error']);
  expect(of('Streamed answer', 'unknown event')).toEqual([]);
  expect(of('Streamed answer', 'missing field')).toContain('response.completed $.sequence_number');
});
