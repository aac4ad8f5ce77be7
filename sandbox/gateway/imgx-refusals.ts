import { ApiError, truncated } from './api-error.ts';

/** A word that is always refused with code 24, so clients can test this case. */
const BANNED_WORD = 'banned-word';

export function refuseBannedWord(prompt: string): void {
  if (!prompt.toLowerCase().includes(BANNED_WORD)) return;
  throw new ApiError('The prompt may contain sensitive words', {
    status: 400,
    code: 'sensitive_words_detected',
    imgxCode: 24,
    imgxStatus: 200,
    properties: { promptEn: prompt, bannedWord: BANNED_WORD },
  });
}

export const unknownAction = (customId: string) =>
  new ApiError(`unknown_action:${truncated(customId)}`, { status: 400, code: 'unknown_action', imgxCode: 4 });

/** In `stock`, this response comes from the engine rather than the gateway: status 200 with code 3. */
export const unknownParent = (taskId: string) =>
  new ApiError(`There is no task ${truncated(taskId)} for this key.`, {
    status: 404,
    code: 'task_not_found',
    imgxCode: 3,
    imgxStatus: 200,
  });

export const queueFull = () =>
  new ApiError('The queue is full, please try again later', {
    status: 429,
    code: 'queue_full',
    imgxCode: 23,
    imgxStatus: 200,
    properties: {},
  });
