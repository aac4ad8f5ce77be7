import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { FollowUp } from '../custom-ids.ts';
import { ImgxDesk, type Received } from '../imgx-desk.ts';
import { blend, describe, edits, imagine, shorten, splitPrompt, video } from '../imgx-plans.ts';
import { freshSeed, viewOf } from '../intake.ts';
import type { Routes } from '../parts.ts';
import { isLoopback, maskOf } from '../references.ts';
import { invalid } from '../refusal.ts';
import * as requests from '../requests/imgx.ts';
import { read } from '../requests/read.ts';
import { imgxSubmit } from '../wire/imgx.ts';
import type { Source } from '../work.ts';

/** Every submit of the image family (specification, 4.3; names in wire facts, 1.1). */
export const imgxSubmitRoutes: Routes = (server, parts) => {
  const desk = new ImgxDesk(parts);
  const submit = <Schema extends z.ZodType>(
    name: string,
    kind: string,
    schema: () => Schema,
    take: (body: z.output<Schema>, request: FastifyRequest) => Received | Promise<Received>,
  ) => {
    server.post(`/imgx/submit/${name}`, { config: { kind } }, async (request) => {
      const { job, reception } = await take(read(schema(), request.body), request);
      return imgxSubmit(job, reception, viewOf(parts));
    });
  };

  // The specification (4.3) lets describe, blend and upload read base64Array; gateways in the wild read it here too.
  const isSpec = (): boolean => parts.settings.profile === 'spec';

  submit(
    'imagine',
    'imagine',
    () => requests.imagineRequest,
    (body, request) => {
      const seed = desk.seedFor(body.prompt);
      return desk.take(
        request,
        body,
        imagine(body.prompt, seed, [...inPrompt(body.prompt), ...(isSpec() ? [] : (body.base64Array ?? []))]),
        seed,
      );
    },
  );

  submit(
    'describe',
    'describe',
    () => requests.describeRequest,
    (body, request) => desk.take(request, body, describe(body.images), freshSeed(parts)),
  );

  submit(
    'shorten',
    'shorten',
    () => requests.shortenRequest,
    (body, request) => desk.take(request, body, shorten(body.prompt), freshSeed(parts)),
  );

  submit(
    'blend',
    'blend',
    () => requests.blendRequest,
    (body, request) => {
      const seed = freshSeed(parts);
      return desk.take(request, body, blend(body.base64Array, body.dimensions, seed), seed);
    },
  );

  submit(
    'edits',
    'edits',
    () => requests.editsRequest,
    (body, request) => {
      const seed = desk.seedFor(body.prompt);
      return desk.take(request, body, edits(body.prompt, body.image, seed), seed);
    },
  );

  submit(
    'video',
    'imgx-video',
    () => requests.videoRequest,
    (body, request) => {
      const seed = desk.seedFor(body.prompt);
      if (body.action === 'extend' && body.taskId !== undefined) {
        const followUp: FollowUp = { do: 'extend', motion: body.motion, index: body.index + 1 };
        const parent = desk.parentOf(request, body.taskId);
        if (parent.details.yields !== 'video') throw invalid('The task is not a video.');
        return desk.follow(request, body, parent, followUp);
      }
      const height = body.videoType.endsWith('720') ? 720 : 480;
      const sources = [body.image, body.endImage].filter((one) => one !== undefined);
      return desk.take(
        request,
        body,
        video({ prompt: body.prompt, height, count: body.batchSize }, seed, sources),
        seed,
      );
    },
  );

  submit(
    'action',
    'action',
    () => requests.actionRequest,
    (body, request) => desk.press(request, body, body.taskId, body.customId),
  );

  const change = (
    request: FastifyRequest,
    body: Parameters<ImgxDesk['take']>[1] & { taskId: string },
    action: string,
    index: number,
  ) => {
    const parent = desk.parentOf(request, body.taskId);
    if (parent.details.yields !== 'grid') throw invalid('The task has no grid of four images.');
    return desk.follow(request, body, parent, changes[action]?.(index) ?? { do: 'reroll' });
  };

  submit(
    'change',
    'change',
    () => requests.changeRequest(parts.settings.profile === 'stock'),
    (body, request) => change(request, body, body.action, body.index ?? 1),
  );

  submit(
    'simple-change',
    'change',
    () => requests.simpleChangeRequest,
    (body, request) => {
      const { taskId, letter = 'R', index } = body.content;
      return change(request, { ...body, taskId }, letter, index);
    },
  );

  submit(
    'modal',
    'modal',
    () => requests.modalRequest,
    async (body, request) => {
      const mask = body.maskBase64?.from === 'request' ? await maskOf(body.maskBase64.bytes) : undefined;
      if (body.maskBase64 && !mask) throw invalid('maskBase64 is not an image.');
      return desk.resume(request, body.taskId, body.prompt, mask);
    },
  );
};

/** Addresses on this machine that stand before the words; any other is taken as words are. */
const inPrompt = (prompt: string): readonly Source[] =>
  splitPrompt(prompt)
    .addresses.filter(isLoopback)
    .map((address) => ({ from: 'address', address }));

const changes: Readonly<Record<string, (index: number) => FollowUp>> = {
  UPSCALE: (index) => ({ do: 'upscale', index }),
  U: (index) => ({ do: 'upscale', index }),
  VARIATION: (index) => ({ do: 'variation', index }),
  V: (index) => ({ do: 'variation', index }),
};
