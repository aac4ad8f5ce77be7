import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { FaultRule as DiscordFault } from '../../../sandbox/discord/faults.ts';
import type { FaultRule } from '../../../sandbox/gateway/faults.ts';
import type { GatewayOptions, Quirks } from '../../../sandbox/gateway/gateway.ts';
import { compareWithExpected, knownIn, readExpected } from '../../../scripts/trial/expected.ts';
import type { Difference } from '../../../scripts/trial/report.ts';
import { addCleanup } from '../../support/ending.ts';
import { cachingStudio } from '../../support/studio.ts';
import { type EmbeddedSides, openEmbeddedSides, tryEmbeddedSides } from './embedded.ts';

interface Deviation {
  /** What is different, as the name of the test says it. */
  name: string;
  /** The steps that meet it. */
  steps: string[];
  quirks?: Partial<Quirks>;
  faults?: FaultRule[];
  discordFaults?: DiscordFault[];
  prepare?: (sides: EmbeddedSides) => void;
  kind: Difference['kind'];
  what: RegExp;
}

const expected = readExpected();
const SPEED = 400;

/** The embedded sides with small results; tests wait for no job. */
async function openSides(options: GatewayOptions = {}): Promise<EmbeddedSides> {
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const sides = await openEmbeddedSides('spec', { speed: SPEED, studio, ...options });
  addCleanup(() => sides.close());
  return sides;
}

const message = '/channels/:channel/messages/:message';
const refuse = (route: string, method: string, status: number, code: number): DiscordFault => ({
  on: { route, method },
  do: { type: 'status', status, code },
});
const body = (path: string, fields: Record<string, string | number>): FaultRule => ({
  on: { method: 'GET', path },
  do: { type: 'body', body: fields },
});
const job = '/v1/images/generations/jobs';
const record = { id: 'a-job', object: 'image_generation.job', model: 'a-model', created: 1_790_000_000 };

const deviations: Deviation[] = [
  {
    name: 'results in base64 instead of at a URL',
    steps: ['Image job'],
    quirks: { base64Results: true },
    kind: 'unknown field',
    what: /^\$\.data\[\]\.b64_json \(string\)$/,
  },
  {
    name: 'no URL of a result',
    steps: ['Image job'],
    quirks: { base64Results: true },
    kind: 'missing field',
    what: /^\$\.data\[\]\.url$/,
  },
  {
    name: 'lists that are JSON in a string',
    steps: ['Imagine'],
    quirks: { listsAsText: true },
    kind: 'other type',
    what: /^\$\.buttons is string, expected list$/,
  },
  {
    name: 'tasks in an envelope',
    steps: ['Imagine'],
    quirks: { unknownEnvelopes: true },
    kind: 'missing field',
    what: /^\$\./,
  },
  {
    name: 'a job without a result',
    steps: ['Video'],
    quirks: { successWithoutAddress: true },
    kind: 'failed step',
    what: /without a result that our reader finds$/,
  },
  {
    name: 'videos in the format of their vendor',
    steps: ['Video'],
    quirks: { videoShape: 'native' },
    kind: 'unknown field',
    what: /^\$\.data/,
  },
  {
    name: 'an endpoint that is not implemented',
    // The other steps show that this is not the profile `stock`, where it is expected.
    steps: ['Unknown fine-tuning job', 'Unknown image job', 'Unknown imagine task', 'Unknown video'],
    quirks: { fineTunesMissing: true },
    kind: 'other outcome',
    what: /^expected 404$/,
  },
  {
    name: 'another status for an unknown model',
    steps: ['Image job of an unknown model'],
    quirks: { unknownModelUnavailable: true },
    kind: 'other outcome',
    what: /^expected 404$/,
  },
  {
    name: 'nothing instead of an empty list',
    steps: ['Unknown songs together'],
    quirks: { nullBatches: true },
    kind: 'other type',
    what: /^\$\.data is null, expected list$/,
  },
  {
    name: 'other events in a live conversation',
    steps: ['Live conversation'],
    quirks: { realtimeDialect: 'beta' },
    kind: 'missing event',
    what: /^response\.output_audio/,
  },
  {
    name: 'a stream in the chat format',
    steps: ['Streamed answer'],
    faults: [{ on: { path: '/v1/responses' }, do: { type: 'text', how: 'chat' } }],
    kind: 'missing event',
    what: /^response\.completed$/,
  },
  {
    name: 'no stream',
    steps: ['Streamed answer'],
    faults: [{ on: { path: '/v1/responses' }, do: { type: 'text', how: 'plain' } }],
    kind: 'missing event',
    what: /^response\.created$/,
  },
  {
    name: 'an error with a status of success',
    steps: ['Usage'],
    faults: [{ on: { path: '/v1/dashboard' }, do: { type: 'error-in-200' } }],
    kind: 'unknown field',
    what: /^\$\.error \(object\)$/,
  },
  {
    name: 'a web page instead of JSON',
    steps: ['Compatible list of models'],
    faults: [{ on: { path: '/v1beta' }, do: { type: 'status', status: 200, as: 'html' } }],
    kind: 'other type',
    what: /^\$ is text\/html, expected object$/,
  },
  {
    name: 'times in milliseconds',
    steps: ['One model'],
    faults: [
      // The list of models, which is read first, is not affected.
      body('/v1/models/', { id: 'm', object: 'model', created: 1_790_000_000_000, owned_by: 'o' }),
    ],
    kind: 'other type',
    what: /^\$\.created is time in milliseconds, expected time in seconds$/,
  },
  {
    name: 'a new error code',
    steps: ['Unknown model'],
    faults: [{ on: { path: '/v1/models/' }, do: { type: 'status', status: 404, code: 'no_such_model' } }],
    kind: 'unknown word',
    what: /^\$\.error\.code is no_such_model, expected model_not_found$/,
  },
  {
    name: 'a new status of a job',
    steps: ['Image job'],
    faults: [body(job, { ...record, status: 'warming_up' })],
    kind: 'unknown word',
    what: /^\$\.status is warming_up, expected /,
  },
  {
    name: 'states in another order',
    steps: ['Image job'],
    faults: [body(job, { ...record, status: 'running' }), body(job, { ...record, status: 'queued' })],
    kind: 'other order',
    what: /^\$\.status: running, queued, .+, expected queued, running, /,
  },
  {
    name: 'a dropped connection',
    steps: ['Imagine'],
    faults: [{ on: { path: '/imgx/submit' }, do: { type: 'reset' } }],
    kind: 'failed step',
    what: /^gateway error of the kind unreachable/,
  },
  {
    name: 'a refused edit',
    steps: ['Message sent twice with one nonce', 'Edit'],
    discordFaults: [refuse(message, 'PATCH', 400, 50_035)],
    kind: 'failed step',
    what: /^Discord error, status 400, code 50035$/,
  },
  {
    name: 'a gallery that cannot be edited',
    steps: ['Gallery, and an edit that adds a file'],
    discordFaults: [refuse(message, 'PATCH', 400, 50_035)],
    kind: 'other outcome',
    what: /^expected 200$/,
  },
  {
    name: 'another error code of Discord',
    steps: ['Refused requests'],
    discordFaults: [refuse(message, 'GET', 404, 10_003)],
    kind: 'unknown word',
    what: /^\$\.code is 10003, expected 10008$/,
  },
  {
    name: 'a rate limit',
    steps: ['Bot and application'],
    discordFaults: [{ on: { route: '/gateway/bot' }, do: { type: '429', retryAfter: 0.01 } }],
    kind: 'other outcome',
    what: /^expected 200$/,
  },
  {
    name: 'a user object with other fields',
    steps: ['Bot and application'],
    // The first request prepares the steps.
    discordFaults: [
      { on: { route: '/users/@me', method: 'GET' }, do: { type: 'delay', ms: 0 } },
      {
        on: { route: '/users/@me', method: 'GET' },
        do: { type: 'status', status: 200, body: { id: '1', username: 'x', discriminator: '0', brand_new: true } },
      },
    ],
    kind: 'unknown field',
    what: /^\$\.brand_new \(boolean\)$/,
  },
  {
    name: 'a missing permission',
    steps: ['Permissions'],
    prepare: ({ discord }) => discord.restrict('studio', PermissionFlagsBits.AttachFiles),
    kind: 'failed step',
    what: /^the bot lacks permissions in the channel: Attach Files/,
  },
];

it.each(deviations)(
  'The trial finds $name',
  { tags: ['breadth'] },
  async ({ steps, quirks, faults = [], discordFaults = [], prepare, kind, what }) => {
    const sides = await openSides(quirks && { quirks });
    for (const fault of faults) sides.gateway.faults.add(fault);
    for (const fault of discordFaults) sides.discord.faults.add(fault);
    prepare?.(sides);
    const results = await tryEmbeddedSides(sides, knownIn(expected), steps);
    const { differences } = compareWithExpected(results, expected);
    const found = differences.filter((one) => one.kind === kind && steps.includes(one.step)).map((one) => one.what);
    expect(found, JSON.stringify(differences)).toContainEqual(expect.stringMatching(what));
  },
);
