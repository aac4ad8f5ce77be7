import type { FastifyRequest } from 'fastify';
import { ApiError, truncated, unknownModel } from './api-error.ts';
import { type Ability, type Model, modelNamed } from './catalogue.ts';
import { amountOf, times } from './decimal.ts';
import type { Job, NewJob } from './job.ts';
import { type KeyGrant, mayUse } from './keys.ts';
import type { Parts } from './parts.ts';
import type { View } from './wire/view.ts';

export const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';

/** Returns the requested model; throws if it does not exist, has none of these abilities, or may not be used with this key. */
export function modelFor(parts: Parts, grant: KeyGrant, id: string, abilities: readonly Ability[]): Model {
  const { profile, quirks } = parts.settings;
  const model = modelNamed(id);
  if (!model) {
    throw quirks.unknownModelUnavailable
      ? new ApiError(`No available channel for model ${truncated(id)}`, { status: 503, code: 'model_not_found' })
      : unknownModel(id);
  }
  if (!mayUse(grant, id)) {
    // The specification treats a forbidden model as unknown.
    throw profile === 'spec'
      ? unknownModel(id)
      : new ApiError(`This key may not use the model ${id}`, { status: 403, code: 'access_denied' });
  }
  if (!abilities.includes(model.ability)) {
    throw new ApiError(`The model ${id} does not support this endpoint: it is for ${model.ability}.`, {
      status: 400,
      code: 'model_not_supported',
    });
  }
  return model;
}

export const priceOf = (model: Model, units: number) => times(amountOf(model.price), Math.max(1, Math.ceil(units)));

/** Creates a job and charges its price, which is refunded if the job fails (`gateway.ts`). */
export function acceptJob(parts: Parts, request: FastifyRequest, draft: NewJob): Job {
  const requestFacts = { method: request.method, path: pathOf(request), kind: draft.kind };
  const job = parts.jobs.add(draft, parts.faults.takeForJob(requestFacts));
  parts.tally.countSubmit(job.id);
  if (job.state !== 'needs-input') chargeJob(parts, job);
  return job;
}

export function chargeJob(parts: Parts, job: Job): void {
  if (job.charge > 0n) parts.usage.charge(usageEntryOf(job));
}

export const usageEntryOf = (job: Job) => ({
  key: job.key,
  model: job.model,
  at: job.chargedAt ?? job.createdAt,
  amount: job.charge,
});

/** A key can access only its own jobs. */
export function findOwnJob<Match extends Job>(
  parts: Parts,
  grant: KeyGrant,
  id: string,
  isMatch: (job: Job) => job is Match,
): Match | undefined {
  const job = parts.jobs.get(id);
  return job && job.key === grant.key && isMatch(job) ? job : undefined;
}

/** Like `findOwnJob`, but counts the request as a poll. */
export function findPolledJob<Match extends Job>(
  parts: Parts,
  grant: KeyGrant,
  id: string,
  isMatch: (job: Job) => job is Match,
): Match | undefined {
  const job = findOwnJob(parts, grant, id, isMatch);
  if (job) parts.tally.countPoll(job);
  return job;
}

export function viewOf(parts: Parts): View {
  const { profile, quirks } = parts.settings;
  return {
    profile,
    quirks,
    urlOf: (job, name) => parts.files.urlOf(job, name),
    previewUrl: (job) => parts.files.urlOf(job, parts.files.previewName(job)),
  };
}

/** A number of 16 to 19 digits, as in the image family; some exceed 2^53. */
export function newNumericId(parts: Parts): string {
  for (;;) {
    const id = `${Math.floor(parts.pace.now())}${String(1_000_000 + parts.random.integer(1_000_000)).slice(1, 4 + parts.random.integer(4))}`;
    if (!parts.jobs.get(id)) return id;
  }
}

/** A seed from the gateway's own random source, so gateways with equal seeds draw equal images. */
export const newSeed = (parts: Parts) => parts.random.integer(4_294_967_296);
