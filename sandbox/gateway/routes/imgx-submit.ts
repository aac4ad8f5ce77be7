import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { newSeed, viewOf } from '../accept-job.ts';
import { invalid } from '../api-error.ts';
import type { FollowUp } from '../custom-ids.ts';
import { blendPlan, describePlan, editsPlan, imaginePlan, shortenPlan, splitPrompt, videoPlan } from '../imgx-plans.ts';
import { ImgxSubmits, type SubmitResult } from '../imgx-submits.ts';
import type { Source } from '../job-details.ts';
import type { Routes } from '../parts.ts';
import { isLoopback, maskOf } from '../reference-fetcher.ts';
import * as requests from '../requests/imgx.ts';
import { parseRequest } from '../requests/parse.ts';
import { imgxSubmit } from '../wire/imgx.ts';

/** Every submit of the image family (specification, 4.3). */
export const imgxSubmitRoutes: Routes = (server, parts) => {
  const submits = new ImgxSubmits(parts);
  const submit = <Schema extends z.ZodType>(
    name: string,
    kind: string,
    schema: () => Schema,
    submitBody: (body: z.output<Schema>, request: FastifyRequest) => SubmitResult | Promise<SubmitResult>,
  ) => {
    server.post(`/imgx/submit/${name}`, { config: { kind } }, async (request) => {
      const { job, outcome } = await submitBody(parseRequest(schema(), request.body), request);
      return imgxSubmit(job, outcome, viewOf(parts));
    });
  };

  // In the specification (4.3), only describe, blend and upload read base64Array; real gateways also read it for imagine.
  const isSpec = (): boolean => parts.settings.profile === 'spec';

  submit(
    'imagine',
    'imagine',
    () => requests.imagineRequest,
    (body, request) => {
      const seed = submits.seedFor(body.prompt);
      return submits.submit(
        request,
        body,
        imaginePlan(body.prompt, seed, [...sourcesIn(body.prompt), ...(isSpec() ? [] : (body.base64Array ?? []))]),
        seed,
      );
    },
  );

  submit(
    'describe',
    'describe',
    () => requests.describeRequest,
    (body, request) => submits.submit(request, body, describePlan(body.images), newSeed(parts)),
  );

  submit(
    'shorten',
    'shorten',
    () => requests.shortenRequest,
    (body, request) => submits.submit(request, body, shortenPlan(body.prompt), newSeed(parts)),
  );

  submit(
    'blend',
    'blend',
    () => requests.blendRequest,
    (body, request) => {
      const seed = newSeed(parts);
      return submits.submit(request, body, blendPlan(body.base64Array, body.dimensions, seed), seed);
    },
  );

  submit(
    'edits',
    'edits',
    () => requests.editsRequest,
    (body, request) => {
      const seed = submits.seedFor(body.prompt);
      return submits.submit(request, body, editsPlan(body.prompt, body.image, seed), seed);
    },
  );

  submit(
    'video',
    'imgx-video',
    () => requests.videoRequest,
    (body, request) => {
      const seed = submits.seedFor(body.prompt);
      if (body.action === 'extend' && body.taskId !== undefined) {
        const followUp: FollowUp = { do: 'extend', motion: body.motion, index: body.index + 1 };
        const parent = submits.parentOf(request, body.taskId);
        if (parent.details.yields !== 'video') throw invalid('The task is not a video.');
        return submits.submitFollowUp(request, body, parent, followUp);
      }
      const height = body.videoType.endsWith('720') ? 720 : 480;
      const sources = [body.image, body.endImage].filter((one) => one !== undefined);
      return submits.submit(
        request,
        body,
        videoPlan({ prompt: body.prompt, height, count: body.batchSize }, seed, sources),
        seed,
      );
    },
  );

  submit(
    'action',
    'action',
    () => requests.actionRequest,
    (body, request) => submits.pressButton(request, body, body.taskId, body.customId),
  );

  const submitChange = (
    request: FastifyRequest,
    body: Parameters<ImgxSubmits['submit']>[1] & { taskId: string },
    action: string,
    index: number,
  ) => {
    const parent = submits.parentOf(request, body.taskId);
    if (parent.details.yields !== 'grid') throw invalid('The task has no grid of four images.');
    return submits.submitFollowUp(request, body, parent, CHANGE_ACTIONS[action]?.(index) ?? { do: 'reroll' });
  };

  submit(
    'change',
    'change',
    () => requests.changeRequest(parts.settings.profile === 'stock'),
    (body, request) => submitChange(request, body, body.action, body.index ?? 1),
  );

  submit(
    'simple-change',
    'change',
    () => requests.simpleChangeRequest(parts.settings.quirks.idFirst),
    (body, request) => {
      const { taskId, letter, index } = body.content;
      return submitChange(request, { ...body, taskId }, letter, index);
    },
  );

  submit(
    'modal',
    'modal',
    () => requests.modalRequest,
    async (body, request) => {
      const mask = body.maskBase64?.from === 'request' ? await maskOf(body.maskBase64.bytes) : undefined;
      if (body.maskBase64 && !mask) throw invalid('maskBase64 is not an image.');
      return submits.submitModal(request, body.taskId, body.prompt, mask);
    },
  );
};

/** The URLs at the start of the prompt that point to this machine; others remain part of the prompt. */
const sourcesIn = (prompt: string): readonly Source[] =>
  splitPrompt(prompt)
    .urls.filter(isLoopback)
    .map((url) => ({ from: 'address', url }));

const CHANGE_ACTIONS: Readonly<Record<string, (index: number) => FollowUp>> = {
  UPSCALE: (index) => ({ do: 'upscale', index }),
  U: (index) => ({ do: 'upscale', index }),
  VARIATION: (index) => ({ do: 'variation', index }),
  V: (index) => ({ do: 'variation', index }),
};
