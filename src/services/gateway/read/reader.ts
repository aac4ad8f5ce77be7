import { isRecord } from '../../../lib/exact-json.ts';
import { once } from '../../../lib/once.ts';
import { malformedError } from '../errors.ts';
import { asNumber, asProgress, asString, asText, asTime, firstAt, listAt, places } from '../places.ts';
import { meaningOfStatus, normaliseStatus, readTaskId, type StatusMeaning } from '../record.ts';
import type { Action, Medium, ReportedFailure, Snapshot, Submission, Track } from '../snapshot.ts';
import { readCost } from './cost.ts';
import { findTask, withKnownNames } from './find-task.ts';
import { mediaOf, type ResponseContext, readMedium, tracksIn } from './media.ts';
import { hasErrorEvidence, namesError } from './search/error-evidence.ts';
import { findJobId } from './search/job-id.ts';
import { hasStateField } from './search/names.ts';
import { echoedUrls, findResultMedia, findResultText, urlMatcher } from './search/results.ts';
import { findProgress } from './search/state.ts';
import { type Spot, survey } from './search/survey.ts';
import {
  buttonPlaces,
  type Family,
  type PlaceTable,
  seedPlaces,
  submissionPlaces,
  TEXT_ACTIONS,
  tables,
  timePlaces,
} from './table.ts';

/** Both events are rare, and mean that the table should get a new entry. */
export interface ReaderWarnings {
  onUnknownStatus(family: Family, word: string): void;
  onFoundBySearch(family: Family, remoteId: string | undefined): void;
}

const RUNNING: StatusMeaning = { state: 'running' };

/** Turns a response about one task into a snapshot. Throws a `GatewayError` of the kind `malformed` if the response does not describe a task. */
export function readSnapshot(
  family: Family,
  response: unknown,
  context: ResponseContext,
  warnings: ReaderWarnings,
): Snapshot {
  const table = tables[family];
  const root = Array.isArray(response) ? response[0] : response;
  const spots = once(() => survey(root));
  const { record, word, isFoundBySearch, isContradictory, isAcknowledged } = findTask(family, root, spots);

  const remoteId =
    readTaskId(family, record) ?? readTaskId(family, response) ?? findJobId(spots(), family, noRequestWords)?.id;
  const knownMeaning = word === undefined ? undefined : meaningOfStatus(word);
  if (word !== undefined && !knownMeaning) warnings.onUnknownStatus(family, normaliseStatus(word));
  const reportedMeaning = knownMeaning ?? (word !== undefined || isContradictory ? RUNNING : undefined);

  const tracks = tracksIn(record, table, reportedMeaning?.state, context);
  const isFromRequest = urlMatcher([...(context.requestUrls ?? []), ...(isFoundBySearch ? echoedUrls(spots()) : [])]);
  const placedMedia = [...mediaIn(record, table, context), ...mediaOf(tracks)];
  const resultMedia = placedMedia.filter(({ address }) => address === undefined || !isFromRequest(address));
  const kinds = table.media.map(({ kind }) => kind);
  const foundMedia = once(() => findResultMedia(spots(), kinds, context));
  const action = firstAt(record, table.action, asText)?.toUpperCase();
  const mayReturnText = table.textResult.length > 0 && (action === undefined || TEXT_ACTIONS.has(action));
  const resultText = once(() => readResultText(record, table, mayReturnText ? spots() : [], action));
  const fileCount = (): number => resultMedia.length + tracks.length + foundMedia().length;
  const { state, cause } =
    isAcknowledged && fileCount() === 0 && resultText().text === undefined
      ? RUNNING
      : (reportedMeaning ?? stateWithoutWord(family, record, resultMedia, tracks, remoteId));
  const isDone = state === 'succeeded';

  const canBeText = isDone && mayReturnText;
  const text = canBeText ? resultText().text : firstAt(record, table.text, asText);
  const isText = canBeText && text !== undefined;

  // The described image is not a result of /describe.
  const media = isDone && !(isText && action !== undefined) ? resultMedia : [];
  if (isDone && media.length === 0 && !isText && !tracks.some((track) => track.state === 'running')) {
    media.push(...foundMedia());
    if (media.length > 0) warnings.onFoundBySearch(family, remoteId);
  }
  if (isText && resultText().isFoundBySearch) warnings.onFoundBySearch(family, remoteId);
  return {
    remoteId,
    state,
    word: word ?? '',
    progress: isDone ? 100 : (firstAt(record, table.progress, asProgress) ?? findProgress(spots())),
    action,
    media,
    preview: isDone ? undefined : firstAt(record, table.preview, (value) => readMedium(value, 'image', context)),
    tracks,
    text,
    actions: listAt(record, table.actions, actionFrom),
    failure: state === 'failed' ? failureIn(record, table, cause ?? 'failed', tracks) : undefined,
    isEmpty: isDone && media.length === 0 && !isText,
    ...factsIn(record),
  };
}

/** What the record says in every state. */
const factsIn = (record: Record<string, unknown>) => ({
  seed: firstAt(record, seedPlaces, asText),
  cost: readCost(record),
  submittedAt: firstAt(record, timePlaces.submitted, asTime),
  startedAt: firstAt(record, timePlaces.started, asTime),
  finishedAt: firstAt(record, timePlaces.finished, asTime),
});

function readResultText(record: Record<string, unknown>, table: PlaceTable, spots: readonly Spot[], action?: string) {
  const placedText = firstAt(record, table.textResult, asText);
  const foundText = placedText === undefined ? findResultText(spots, record, action === undefined) : undefined;
  const text = placedText ?? foundText ?? firstAt(record, table.textFallback, asText);
  return { text, isFoundBySearch: foundText !== undefined };
}

const noRequestWords: ReadonlySet<string> = new Set();

const ERROR_PLACES = places('error.message', 'error');

function stateWithoutWord(
  family: Family,
  record: unknown,
  resultMedia: readonly Medium[],
  tracks: readonly Track[],
  id?: string,
): StatusMeaning {
  if (tracks.some((track) => track.state === 'running')) return { state: 'running' };
  if (tracks.some((track) => track.state === 'finished')) return { state: 'succeeded' };
  if (tracks.length > 0) return { state: 'failed' };
  // In the image-prompt family, an image without a status word is a preview.
  if (resultMedia.length > 0) return { state: family === 'imgx' ? 'running' : 'succeeded' };
  if (firstAt(record, ERROR_PLACES, asText) !== undefined) return { state: 'failed', cause: 'failed' };
  if (id !== undefined) return { state: 'queued' };
  throw malformedError('The response from the gateway has no task status.');
}

/** Returns the media of the first kind, in order of preference, that has any. */
function mediaIn(record: unknown, table: PlaceTable, context: ResponseContext): Medium[] {
  for (const { kind, paths } of table.media) {
    const found = listAt(record, paths, (value) => readMedium(value, kind, context));
    if (found.length > 0) return found;
  }
  return [];
}

function failureIn(
  record: unknown,
  table: PlaceTable,
  cause: ReportedFailure['cause'],
  tracks: readonly Track[],
): ReportedFailure {
  const reason =
    firstAt(record, table.reason, readReason) ?? tracks.find(({ failure }) => failure !== undefined)?.failure;
  return { cause, reason, code: firstAt(record, table.code, asText) };
}

function actionFrom(value: unknown): Action | undefined {
  const customId = firstAt(value, buttonPlaces.customId, asText);
  if (customId === undefined) return undefined;
  return {
    customId,
    label: firstAt(value, buttonPlaces.label, asText) ?? '',
    emoji: firstAt(value, buttonPlaces.emoji, asText) ?? '',
    style: firstAt(value, buttonPlaces.style, asNumber),
  };
}

/** Words that mean success, although they are in the place of a reason. */
const NO_REASON = new Set(['success', 'succeed', 'ok']);

function readReason(value: unknown): string | undefined {
  const text = asString(value);
  // "/imagine …" repeats the request instead of giving a reason.
  return text === undefined || NO_REASON.has(text.toLowerCase()) || text.startsWith('/') ? undefined : text;
}

/** Reads the response to an accepted submit. `requestWords`: the words of the request, so that an echo of them is not mistaken for an id. */
export function readSubmission(
  family: Family,
  response: unknown,
  requestWords: ReadonlySet<string> = noRequestWords,
): Submission {
  const found = submittedAtPlaces(family, response, requestWords) ?? findSubmittedJob(family, response, requestWords);
  // Without an id the task cannot be polled, but the job may well have been accepted.
  if (found === undefined) {
    throw malformedError('The gateway’s response to the order has no task id.', { mayHaveTakenEffect: true });
  }
  const { id: remoteId, holder } = found;
  const word = firstAt(holder, submissionPlaces.status, asText);
  return {
    remoteId,
    needsInput: needsPrompt(holder) || (word !== undefined && meaningOfStatus(word)?.state === 'needs-input'),
    finalPrompt: firstAt(holder, submissionPlaces.finalPrompt, asText),
    queuedBehind: firstAt(holder, submissionPlaces.queuedBehind, asNumber),
  };
}

function submittedAtPlaces(family: Family, response: unknown, requestWords: ReadonlySet<string>) {
  const [anyId, textId] = submissionPlaces.ids[family];
  const ownId = (id: string | undefined): string | undefined =>
    id === undefined || /\s/.test(id) || requestWords.has(id) ? undefined : id;
  const id =
    firstAt(response, anyId, (value) => ownId(asText(value))) ??
    firstAt(response, textId, (value) => ownId(asString(value)));
  // A state next to the id says that there is a task, even a failed one.
  const isTask = isRecord(response) && hasStateField(response);
  return id === undefined || (!isTask && namesError(survey(response))) ? undefined : { id, holder: response };
}

/** A response that shows an error is a refusal, no matter which ids it contains. */
function findSubmittedJob(family: Family, response: unknown, requestWords: ReadonlySet<string>) {
  const spots = survey(response);
  const found = hasErrorEvidence(spots) ? undefined : findJobId(spots, family, requestWords);
  return found && { id: found.id, holder: withKnownNames(found.holder) };
}

/** Code 21 means "enter a prompt" or, with a state or image, "exists already". Some gateways send 1 instead, but still set `remix`. */
function needsPrompt(response: unknown): boolean {
  const { remix, imageUrl, status } = isRecord(response) && isRecord(response.properties) ? response.properties : {};
  if (remix === true || remix === 'true') return true;
  const isForm = firstAt(response, submissionPlaces.code, asText) === '21';
  return isForm && asText(imageUrl) === undefined && asText(status) === undefined;
}
