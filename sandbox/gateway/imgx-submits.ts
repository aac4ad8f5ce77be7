import type { FastifyRequest } from 'fastify';
import { acceptJob, chargeJob, findOwnJob, modelFor, newNumericId, newSeed, pathOf, priceOf } from './accept-job.ts';
import { ApiError } from './api-error.ts';
import { followUpOf } from './buttons.ts';
import { customIdOf, type FollowUp, isCommonAction } from './custom-ids.ts';
import { type ImgxJob, initialModalPrompt, isImgx, needsInput, planFollowUp } from './follow-ups.ts';
import { type Plan, seedIn } from './imgx-plans.ts';
import { queueFull, refuseBannedWord, unknownAction, unknownParent } from './imgx-refusals.ts';
import { isOver, type Job } from './job.ts';
import type { ImgxDetails } from './job-details.ts';
import type { Parts } from './parts.ts';
import type { SubmitOutcome } from './wire/imgx.ts';

/** The fields that all submits of the image family accept. */
export interface SubmitFields {
  readonly state: string;
  readonly botType: string;
  readonly notifyHook?: string | undefined;
}

export interface SubmitResult {
  readonly job: ImgxJob;
  readonly outcome: SubmitOutcome;
}

/** Handles the submits of the image family. */
export class ImgxSubmits {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  seedFor(prompt: string): number {
    return seedIn(prompt) ?? newSeed(this.#parts);
  }

  submit(
    request: FastifyRequest,
    fields: SubmitFields,
    plan: Plan,
    seed: number,
    extraDetails: Partial<ImgxDetails> = {},
  ): SubmitResult {
    refuseBannedWord(plan.prompt);
    const jobsAhead = this.#countJobsAhead(request);
    const job = this.#add(request, fields, plan, seed, extraDetails);
    return {
      job,
      outcome: jobsAhead === undefined ? { status: 'accepted' } : { status: 'queued', tasksAhead: jobsAhead },
    };
  }

  /** The task of this key that a follow-up refers to; it must have succeeded. */
  parentOf(request: FastifyRequest, taskId: string): ImgxJob {
    const parent = findOwnJob(this.#parts, request.grant, taskId, isImgx);
    if (!parent) throw unknownParent(taskId);
    if (parent.state === 'succeeded') return parent;
    throw new ApiError('The task has not succeeded, so it cannot be continued.', {
      status: 400,
      code: 'task_status_not_success',
    });
  }

  /** Accepts only buttons of the task, and in `stock` only those that the gateway can execute. */
  pressButton(request: FastifyRequest, fields: SubmitFields, taskId: string, customId: string): SubmitResult {
    const parent = this.parentOf(request, taskId);
    const followUp = followUpOf(parent.details, customId);
    if (!followUp || (this.#parts.settings.quirks.refusedActions && !isCommonAction(customId)))
      throw unknownAction(customId);
    return this.submitFollowUp(request, fields, parent, followUp);
  }

  submitFollowUp(request: FastifyRequest, fields: SubmitFields, parent: ImgxJob, followUp: FollowUp): SubmitResult {
    const { quirks } = this.#parts.settings;
    const customId = customIdOf(followUp, parent.details.uuid);
    const existingJob =
      quirks.repeatsKnown && followUp.do === 'upscale' ? this.#existingUpscale(parent, customId) : undefined;
    if (existingJob) return { job: existingJob, outcome: { status: 'known' } };
    const seed = newSeed(this.#parts);
    const plan = planFollowUp(parent, followUp, seed);
    const lineage = { parent: parent.id, customId };
    if (!needsInput(followUp, quirks.remix)) return this.submit(request, fields, plan, seed, lineage);
    const prompt = initialModalPrompt(parent, followUp);
    const job = this.#add(
      request,
      fields,
      { ...plan, prompt },
      seed,
      { ...lineage, pendingFollowUp: followUp },
      'needs-input',
    );
    return { job, outcome: { status: 'asks' } };
  }

  /** Continues a task that waits for its modal, under the same id. */
  submitModal(request: FastifyRequest, taskId: string, prompt: string, mask: Buffer | undefined): SubmitResult {
    const parts = this.#parts;
    const job = findOwnJob(parts, request.grant, taskId, isImgx);
    const followUp = job?.details.pendingFollowUp;
    const parent = job?.details.parent === undefined ? undefined : parts.jobs.get(job.details.parent);
    if (!job || !parent || !isImgx(parent)) throw unknownParent(taskId);
    if (!followUp || job.state !== 'needs-input') {
      throw new ApiError('The task is not waiting for input.', { status: 400, code: 'task_status_error' });
    }
    // An empty prompt stands for the modal's initial prompt.
    const newPrompt = prompt.trim() === '' ? job.prompt : prompt;
    refuseBannedWord(newPrompt);
    const jobsAhead = this.#countJobsAhead(request);
    const seed = seedIn(newPrompt) ?? job.seed;
    const plan = planFollowUp(parent, followUp, seed, { prompt: newPrompt, ...(mask ? { mask } : {}) });
    const { pendingFollowUp: _, ...details } = job.details;
    const model = modelFor(parts, request.grant, job.model, ['imgx']);
    const patch: Partial<Job> = {
      prompt: newPrompt,
      seed,
      kind: plan.kind,
      charge: priceOf(model, plan.units),
      chargedAt: parts.pace.now(),
      details: { ...details, ...detailsOf(plan) },
      orders: {
        ...job.orders,
        ...parts.faults.takeForJob({ method: request.method, path: pathOf(request), kind: plan.kind }),
      },
    };
    const resumed = parts.jobs.resume(job.id, patch);
    if (!resumed || !isImgx(resumed)) throw new Error(`Task ${job.id} was dropped while its modal was submitted.`);
    chargeJob(parts, resumed);
    return {
      job: resumed,
      outcome: jobsAhead === undefined ? { status: 'accepted' } : { status: 'queued', tasksAhead: jobsAhead },
    };
  }

  #add(
    request: FastifyRequest,
    fields: SubmitFields,
    plan: Plan,
    seed: number,
    extraDetails: Partial<ImgxDetails>,
    state?: 'needs-input',
  ): ImgxJob {
    const parts = this.#parts;
    const { notifyHook, botType } = fields;
    const id = botType === 'NIJI_JOURNEY' ? 'imgx-anime-7' : 'imgx-7';
    const model = modelFor(parts, request.grant, id, ['imgx']);
    const job = acceptJob(parts, request, {
      id: newNumericId(parts),
      family: 'imgx',
      kind: plan.kind,
      key: request.grant.key,
      model: model.id,
      prompt: plan.prompt,
      seed,
      charge: priceOf(model, plan.units),
      ...(state ? { state } : {}),
      details: {
        family: 'imgx',
        ...detailsOf(plan),
        uuid: parts.random.uuid(),
        botType,
        state: fields.state,
        ...(notifyHook ? { notifyHook } : {}),
        ...extraDetails,
      },
    });
    if (!isImgx(job)) throw new Error('The created job is not an image task.');
    return job;
  }

  /** The number of jobs ahead, if the gateway reports it; throws if the queue is full (codes 22 and 23). */
  #countJobsAhead(request: FastifyRequest): number | undefined {
    const { queuedFrom, fullFrom } = this.#parts.settings.quirks;
    if (queuedFrom === 0 && fullFrom === 0) return undefined;
    const unfinishedCount = this.#parts.jobs
      .list()
      .filter(
        (job) =>
          job.family === 'imgx' && job.key === request.grant.key && !isOver(job.state) && job.state !== 'needs-input',
      ).length;
    if (fullFrom > 0 && unfinishedCount >= fullFrom) {
      throw queueFull();
    }
    return queuedFrom > 0 && unfinishedCount >= queuedFrom ? unfinishedCount : undefined;
  }

  #existingUpscale(parent: ImgxJob, customId: string): ImgxJob | undefined {
    return this.#parts.jobs
      .list()
      .filter(isImgx)
      .find((job) => job.details.parent === parent.id && job.details.customId === customId && job.state !== 'failed');
  }
}

function detailsOf(
  plan: Plan,
): Pick<
  ImgxDetails,
  'action' | 'yields' | 'scenes' | 'aspect' | 'results' | 'sources' | 'referencesFrom' | 'lines' | 'mask'
> {
  const { action, yields, scenes, aspect, results, sources = [], referencesFrom, lines, mask } = plan;
  return {
    action,
    yields,
    scenes,
    aspect,
    results,
    sources,
    ...(referencesFrom ? { referencesFrom } : {}),
    ...(lines ? { lines } : {}),
    ...(mask ? { mask } : {}),
  };
}
