import type { FastifyRequest } from 'fastify';
import { followUpOf } from './buttons.ts';
import { customIdOf, type FollowUp, isWidelyKnown } from './custom-ids.ts';
import { asksForWords, type ImgxJob, isImgx, plan, proposedPrompt } from './follow-ups.ts';
import { type Plan, seedIn } from './imgx-plans.ts';
import { queueFull, refuseBanned, unknownAction, unknownParent } from './imgx-refusals.ts';
import { accept, charge, digitsId, freshSeed, modelFor, ownJob, pathOf, priceOf } from './intake.ts';
import { isOver, type Job } from './job.ts';
import type { Parts } from './parts.ts';
import { Refusal } from './refusal.ts';
import type { Reception } from './wire/imgx.ts';
import type { Imgx } from './work.ts';

/** The fields every submit of the family may carry. */
export interface Common {
  readonly state: string;
  readonly botType: string;
  readonly notifyHook?: string | undefined;
}

export interface Received {
  readonly job: ImgxJob;
  readonly reception: Reception;
}

/** Accepts every submit of the image family. */
export class ImgxDesk {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  seedFor(prompt: string): number {
    return seedIn(prompt) ?? freshSeed(this.#parts);
  }

  take(request: FastifyRequest, common: Common, work: Plan, seed: number, more: Partial<Imgx> = {}): Received {
    refuseBanned(work.prompt);
    const ahead = this.#room(request);
    const job = this.#add(request, common, work, seed, more);
    return { job, reception: ahead === undefined ? { as: 'accepted' } : { as: 'queued', ahead } };
  }

  /** A task of this key, of which a follow-up is asked: it must have ended well. */
  parentOf(request: FastifyRequest, taskId: string): ImgxJob {
    const parent = ownJob(this.#parts, request.grant, taskId, isImgx);
    if (!parent) throw unknownParent(taskId);
    if (parent.state === 'succeeded') return parent;
    throw new Refusal('The task has not succeeded, so nothing can follow from it.', {
      status: 400,
      code: 'task_status_not_success',
    });
  }

  /** A press on a button: only what the task offers, and in `stock` only what the gateway knows how to book. */
  press(request: FastifyRequest, common: Common, taskId: string, customId: string): Received {
    const parent = this.parentOf(request, taskId);
    const followUp = followUpOf(parent.details, customId);
    if (!followUp || (this.#parts.settings.quirks.refusedActions && !isWidelyKnown(customId)))
      throw unknownAction(customId);
    return this.follow(request, common, parent, followUp);
  }

  follow(request: FastifyRequest, common: Common, parent: ImgxJob, followUp: FollowUp): Received {
    const { quirks } = this.#parts.settings;
    const customId = customIdOf(followUp, parent.details.uuid);
    const known = quirks.repeatsKnown && followUp.do === 'upscale' ? this.#alreadyMade(parent, customId) : undefined;
    if (known) return { job: known, reception: { as: 'known' } };
    const seed = freshSeed(this.#parts);
    const work = plan(parent, followUp, seed);
    const lineage = { parent: parent.id, customId };
    if (!asksForWords(followUp, quirks.remix)) return this.take(request, common, work, seed, lineage);
    const prompt = proposedPrompt(parent, followUp);
    const job = this.#add(
      request,
      common,
      { ...work, prompt },
      seed,
      { ...lineage, waitsFor: followUp },
      'needs-input',
    );
    return { job, reception: { as: 'asks' } };
  }

  /** The words have come: the task that waited goes on under its own id (wire facts, 1.4). */
  resume(request: FastifyRequest, taskId: string, prompt: string, mask: Buffer | undefined): Received {
    const parts = this.#parts;
    const job = ownJob(parts, request.grant, taskId, isImgx);
    const followUp = job?.details.waitsFor;
    const parent = job?.details.parent === undefined ? undefined : parts.jobs.get(job.details.parent);
    if (!job || !parent || !isImgx(parent)) throw unknownParent(taskId);
    if (!followUp || job.state !== 'needs-input') {
      throw new Refusal('The task is not waiting for words.', { status: 400, code: 'task_status_error' });
    }
    // Words left empty are the ones that stood in the window (wire facts, 1.1).
    const words = prompt.trim() === '' ? job.prompt : prompt;
    refuseBanned(words);
    const ahead = this.#room(request);
    const seed = seedIn(words) ?? job.seed;
    const work = plan(parent, followUp, seed, { prompt: words, ...(mask ? { mask } : {}) });
    const { waitsFor: _, ...details } = job.details;
    const model = modelFor(parts, request.grant, job.model, ['imgx']);
    const patch: Partial<Job> = {
      prompt: words,
      seed,
      kind: work.kind,
      charge: priceOf(model, work.units),
      chargedAt: parts.pace.now(),
      details: { ...details, ...detailsOf(work) },
      orders: {
        ...job.orders,
        ...parts.faults.forJob({ method: request.method, path: pathOf(request), kind: work.kind }),
      },
    };
    const resumed = parts.jobs.resume(job.id, patch);
    if (!resumed || !isImgx(resumed)) throw new Error(`Task ${job.id} was lost while its words came.`);
    charge(parts, resumed);
    return { job: resumed, reception: ahead === undefined ? { as: 'accepted' } : { as: 'queued', ahead } };
  }

  #add(
    request: FastifyRequest,
    common: Common,
    work: Plan,
    seed: number,
    more: Partial<Imgx>,
    state?: 'needs-input',
  ): ImgxJob {
    const parts = this.#parts;
    const { notifyHook, botType } = common;
    const id = botType === 'NIJI_JOURNEY' ? 'imgx-anime-7' : 'imgx-7';
    const model = modelFor(parts, request.grant, id, ['imgx']);
    const job = accept(parts, request, {
      id: digitsId(parts),
      family: 'imgx',
      kind: work.kind,
      key: request.grant.key,
      model: model.id,
      prompt: work.prompt,
      seed,
      charge: priceOf(model, work.units),
      ...(state ? { state } : {}),
      details: {
        family: 'imgx',
        ...detailsOf(work),
        uuid: parts.random.uuid(),
        botType,
        state: common.state,
        ...(notifyHook ? { notifyHook } : {}),
        ...more,
      },
    });
    if (!isImgx(job)) throw new Error('An image task became something else.');
    return job;
  }

  /** How many jobs are ahead, where gateways report it; a refusal if the queue is full (codes 22 and 23, wire facts, 1.2). */
  #room(request: FastifyRequest): number | undefined {
    const { queuedFrom, fullFrom } = this.#parts.settings.quirks;
    if (queuedFrom === 0 && fullFrom === 0) return undefined;
    const live = this.#parts.jobs
      .list()
      .filter(
        (job) =>
          job.family === 'imgx' && job.key === request.grant.key && !isOver(job.state) && job.state !== 'needs-input',
      ).length;
    if (fullFrom > 0 && live >= fullFrom) {
      throw queueFull();
    }
    return queuedFrom > 0 && live >= queuedFrom ? live : undefined;
  }

  #alreadyMade(parent: ImgxJob, customId: string): ImgxJob | undefined {
    return this.#parts.jobs
      .list()
      .filter(isImgx)
      .find((job) => job.details.parent === parent.id && job.details.customId === customId && job.state !== 'failed');
  }
}

function detailsOf(
  work: Plan,
): Pick<Imgx, 'action' | 'yields' | 'scenes' | 'aspect' | 'results' | 'sources' | 'inherits' | 'lines' | 'mask'> {
  const { action, yields, scenes, aspect, results, sources = [], inherits, lines, mask } = work;
  return {
    action,
    yields,
    scenes,
    aspect,
    results,
    sources,
    ...(inherits ? { inherits } : {}),
    ...(lines ? { lines } : {}),
    ...(mask ? { mask } : {}),
  };
}
