import { buttonsOf } from '../buttons.ts';
import type { ImgxJob } from '../follow-ups.ts';
import { type Body, idOf, percentText, quotaOf, resultUrls, SPEC_STATUS, STOCK_STATUS, type View } from './view.ts';

/** A task in queries, lists and callbacks, in the profile's format. */
export function imgxTask(job: ImgxJob, view: View): Body {
  const { details } = job;
  const urls = resultUrls(job, view);
  const videos = details.yields === 'video' ? urls.map((url) => ({ url })) : [];
  const buttons =
    job.state === 'succeeded' && !job.orders.withoutButtons ? buttonsOf(details, view.quirks.refusedActions) : [];
  const { finalPrompt, description } = promptFieldsOf(job);
  const properties = { finalPrompt, ...(job.state === 'needs-input' ? { remix: true } : {}) };
  const commonFields = {
    id: idOf(job.id, view),
    action: details.action,
    customId: details.customId ?? '',
    botType: details.botType,
    prompt: job.prompt,
    promptEn: details.yields === 'lines' ? finalPrompt : job.prompt,
    description,
    state: details.state,
    submitTime: job.createdAt,
    imageUrl: imageUrlOf(job, urls, view),
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
      ...commonFields,
      status: emptyStatusOf(job, view) ?? SPEC_STATUS[job.state],
      progress: job.progress,
      startTime: job.startedAt ?? null,
      finishTime: job.finishedAt ?? null,
      failReason: job.reason ?? null,
    };
  }
  return {
    ...commonFields,
    status: emptyStatusOf(job, view) ?? STOCK_STATUS[job.state],
    // A failed task loses its progress.
    progress: job.state === 'failed' ? '' : percentText(job),
    startTime: job.startedAt ?? 0,
    finishTime: job.finishedAt ?? 0,
    failReason: job.reason ?? '',
  };
}

export type SubmitOutcome =
  | { readonly status: 'accepted' | 'asks' | 'known' }
  | { readonly status: 'queued'; readonly tasksAhead: number };

const ENGINE_PROPERTIES = { discordInstanceId: '1118138338562560102' };

/** The response of a submit. */
export function imgxSubmit(job: ImgxJob, outcome: SubmitOutcome, view: View): Body {
  const result = idOf(job.id, view);
  const response = stockResponse(job, outcome, view);
  if (view.profile === 'stock') return { ...response, result };
  const { code, description, properties } = response;
  const task = imgxTask(job, view);
  // The specification has no status for a task that waits for its modal, so the response also has the code of real gateways.
  return outcome.status === 'asks' ? { ...task, code, description, properties } : task;
}

function stockResponse(
  job: ImgxJob,
  outcome: SubmitOutcome,
  view: View,
): { code: number; description: string; properties: Body } {
  const { rewriteCodes } = view.quirks;
  switch (outcome.status) {
    case 'accepted':
      return { code: 1, description: 'Submit success', properties: ENGINE_PROPERTIES };
    case 'queued':
      return {
        code: rewriteCodes ? 1 : 22,
        description: `In queue, there are ${outcome.tasksAhead} tasks ahead`,
        properties: { ...ENGINE_PROPERTIES, numberOfQueues: outcome.tasksAhead },
      };
    case 'asks': {
      const keepsCode =
        job.details.pendingFollowUp?.do === 'inpaint' || job.details.pendingFollowUp?.do === 'custom-zoom';
      return {
        code: rewriteCodes && !keepsCode ? 1 : 21,
        description: 'Waiting for window confirm',
        properties: { finalPrompt: job.prompt, remix: true },
      };
    }
    case 'known':
      return {
        code: rewriteCodes ? 1 : 21,
        description: 'The task exists already',
        properties: { status: STOCK_STATUS[job.state], imageUrl: imgxTask(job, view).imageUrl },
      };
  }
}

const emptyStatusOf = (job: ImgxJob, view: View) =>
  view.quirks.emptyStatus && job.state === 'queued' ? '' : undefined;

function imageUrlOf(job: ImgxJob, urls: readonly string[], view: View): string {
  const { yields } = job.details;
  const hasImage = yields === 'grid' || yields === 'single' || yields === 'files';
  const url = job.state === 'running' && hasImage ? view.previewUrl(job) : hasImage ? (urls[0] ?? '') : '';
  return url && view.quirks.localhostPictures ? `http://localhost:3000/imgx/image/${job.id}` : url;
}

/** `describe` returns four numbered lines, `shorten` a list of drafts. */
function promptFieldsOf(job: ImgxJob): { finalPrompt: string; description: string } {
  const { yields, action } = job.details;
  const command = `/${action.toLowerCase()} ${job.prompt}`.trim();
  const lines = job.state === 'succeeded' ? (job.details.lines ?? []) : [];
  const numberedLines = lines.map((line, index) => `${index + 1}\ufe0f\u20e3 ${line}`);
  if (yields === 'lines') return { finalPrompt: numberedLines.join('\n\n'), description: command };
  if (yields === 'drafts' && lines.length > 0) {
    const text = `Shortened prompts\n${numberedLines.join('\n\n')}`;
    return { finalPrompt: text, description: text };
  }
  return { finalPrompt: yields === 'drafts' ? '' : job.prompt, description: command };
}
