import { buttonsOf } from '../buttons.ts';
import type { ImgxJob } from '../follow-ups.ts';
import { addressesOf, type Body, idOf, percent, quotaOf, specWord, stockWord, type View } from './view.ts';

/** A task as its query, the list and the callback show it (wire facts, 1.3), in the profile's words. */
export function imgxTask(job: ImgxJob, view: View): Body {
  const { details } = job;
  const addresses = addressesOf(job, view);
  const videos = details.yields === 'video' ? addresses.map((url) => ({ url })) : [];
  const buttons =
    job.state === 'succeeded' && !job.orders.withoutButtons ? buttonsOf(details, view.quirks.refusedActions) : [];
  const { finalPrompt, description } = wordsOf(job);
  const properties = { finalPrompt, ...(job.state === 'needs-input' ? { remix: true } : {}) };
  const shared = {
    id: idOf(job.id, view),
    action: details.action,
    customId: details.customId ?? '',
    botType: details.botType,
    prompt: job.prompt,
    promptEn: details.yields === 'lines' ? finalPrompt : job.prompt,
    description,
    state: details.state,
    submitTime: job.createdAt,
    imageUrl: imageOf(job, addresses, view),
    videoUrl: videos[0]?.url ?? '',
    videoUrls: view.quirks.listsAsText ? JSON.stringify(videos) : videos,
    buttons: view.quirks.listsAsText ? JSON.stringify(buttons) : buttons,
    maskBase64: '',
    notifyHook: details.notifyHook ?? '',
    properties,
    ...quotaOf(job, view),
  };
  if (view.profile === 'spec') {
    return {
      ...shared,
      status: emptied(job, view) ?? specWord[job.state],
      progress: job.progress,
      startTime: job.startedAt ?? null,
      finishTime: job.finishedAt ?? null,
      failReason: job.reason ?? null,
    };
  }
  return {
    ...shared,
    status: emptied(job, view) ?? stockWord[job.state],
    // A failed task loses its progress (wire facts, 1.3).
    progress: job.state === 'failed' ? '' : percent(job),
    startTime: job.startedAt ?? 0,
    finishTime: job.finishedAt ?? 0,
    failReason: job.reason ?? '',
  };
}

export type Reception =
  | { readonly as: 'accepted' | 'asks' | 'known' }
  | { readonly as: 'queued'; readonly ahead: number };

const ENGINE = { discordInstanceId: '1118138338562560102' };

/** A submit's answer (wire facts, 1.2). */
export function imgxSubmit(job: ImgxJob, reception: Reception, view: View): Body {
  const result = idOf(job.id, view);
  const answer = stockAnswer(job, reception, view);
  if (view.profile === 'stock') return { ...answer, result };
  const { code, description, properties } = answer;
  const task = imgxTask(job, view);
  // The specification has no word for a task that waits, so its answer also carries the wire's code.
  return reception.as === 'asks' ? { ...task, code, description, properties } : task;
}

function stockAnswer(
  job: ImgxJob,
  reception: Reception,
  view: View,
): { code: number; description: string; properties: Body } {
  const { rewriteCodes } = view.quirks;
  switch (reception.as) {
    case 'accepted':
      return { code: 1, description: 'Submit success', properties: ENGINE };
    case 'queued':
      return {
        code: rewriteCodes ? 1 : 22,
        description: `In queue, there are ${reception.ahead} tasks ahead`,
        properties: { ...ENGINE, numberOfQueues: reception.ahead },
      };
    case 'asks': {
      const keeps = job.details.waitsFor?.do === 'inpaint' || job.details.waitsFor?.do === 'custom-zoom';
      return {
        code: rewriteCodes && !keeps ? 1 : 21,
        description: 'Waiting for window confirm',
        properties: { finalPrompt: job.prompt, remix: true },
      };
    }
    case 'known':
      return {
        code: rewriteCodes ? 1 : 21,
        description: 'The task exists already',
        properties: { status: stockWord[job.state], imageUrl: imgxTask(job, view).imageUrl },
      };
  }
}

const emptied = (job: ImgxJob, view: View) => (view.quirks.emptyStatus && job.state === 'queued' ? '' : undefined);

function imageOf(job: ImgxJob, addresses: readonly string[], view: View): string {
  const { yields } = job.details;
  const shows = yields === 'grid' || yields === 'single' || yields === 'files';
  const address = job.state === 'running' && shows ? view.previewOf(job) : shows ? (addresses[0] ?? '') : '';
  return address && view.quirks.localhostPictures ? `http://localhost:3000/imgx/image/${job.id}` : address;
}

/** describe gives four lines with keycaps before them, shorten a list of drafts (wire facts, 1.3). */
function wordsOf(job: ImgxJob): { finalPrompt: string; description: string } {
  const { yields, action } = job.details;
  const command = `/${action.toLowerCase()} ${job.prompt}`.trim();
  const lines = job.state === 'succeeded' ? (job.details.lines ?? []) : [];
  const numbered = lines.map((line, at) => `${at + 1}\ufe0f\u20e3 ${line}`);
  if (yields === 'lines') return { finalPrompt: numbered.join('\n\n'), description: command };
  if (yields === 'drafts' && lines.length > 0) {
    const text = `Shortened prompts\n${numbered.join('\n\n')}`;
    return { finalPrompt: text, description: text };
  }
  return { finalPrompt: yields === 'drafts' ? '' : job.prompt, description: command };
}
