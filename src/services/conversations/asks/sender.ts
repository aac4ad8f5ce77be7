import { type Clock, SteadyClock } from '../../../lib/clock.ts';
import { RecentMap } from '../../../lib/recent-map.ts';
import { GatewayError } from '../../gateway/errors.ts';
import { withFirst } from '../../gateway/event-stream.ts';
import { acceptsAudio } from '../../gateway/model-families.ts';
import type { TextEvent } from '../../gateway/response-events.ts';
import { refusedPart, type TextRequest, TOO_LARGE_STATUS } from '../../gateway/text-request.ts';
import { type Answer, EMPTY_ANSWER, type RefusableFeature } from '../../tasks/answer.ts';
import type { Materials } from '../../tasks/materials.ts';
import { type AskRequest, buildTextRequest, type Draft, questionParts } from '../ask-request.ts';
import { isLastRound, MAX_REQUESTS } from '../ask-transitions.ts';
import { type Asker, earlierTurns, type Turn } from '../conversation.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { type EarlierFile, gatherEarlierFiles, leaveOut, leaveOutAudio, sentParts, sizeOf } from './earlier-files.ts';
import { questionAudio, transcribe } from './sound.ts';

interface SentQuestion {
  request: TextRequest;
  draft: Draft;
  stop: AbortController;
  omission: Omission;
}

export interface OpenStream extends SentQuestion {
  id: string | undefined;
  events: AsyncIterable<TextEvent>;
}

interface Question {
  request: AskRequest;
  materials: Materials;
  asker: Asker;
  /** The answer so far, if it continues after tool calls. */
  answer?: Answer | undefined;
  stop: AbortController;
}

/** Sends questions to models, leaving out features that a model refuses. */
export class QuestionSender {
  readonly #context: ConversationContext;
  readonly #refusedFeatures: RefusedFeatures;
  /** The requests that questions took until they were too large. Such a question is sent again, with smaller images. */
  readonly #requestCounts = new WeakMap<AskRequest, number>();

  constructor(context: ConversationContext) {
    this.#context = context;
    this.#refusedFeatures = new RefusedFeatures(context.clock);
  }

  async send({ request, materials, asker, answer = EMPTY_ANSWER, stop }: Question): Promise<OpenStream> {
    const { rounds, requests: requestCount = this.#requestCounts.get(request) ?? 0 } = answer;
    this.#requestCounts.delete(request);
    const unsupportedAudio = acceptsAudio(request.model) ? [] : (['audio'] as const);
    const known = this.#refusedFeatures.get(request.model);
    const omittedFeatures = [...new Set([...answer.without, ...known.features, ...unsupportedAudio])];
    const sound = questionAudio(request.sound, materials, answer.heard);
    const pastTurns = await earlierTurns(this.#context.answers, request.after, asker);
    const earlierFiles = await this.#earlierFiles(pastTurns, { materials, sound }, omittedFeatures, asker);
    const models = await this.#context.models.listQuickly();
    const user = await this.#context.userOf?.(asker.requesterId);
    const isFinalRound = isLastRound(answer);
    const question = { request, pastTurns, earlierFiles, materials, sound, models, rounds, isFinalRound, user };
    const draft = { ...question, requestCount };
    const announced = omittedFeatures.filter((part) => isRequested(part, draft));
    const guessed = announced.filter((part) => known.guessed.includes(part));
    return this.#open(draft, { features: omittedFeatures, announced, namedInError: [], guessed }, stop);
  }

  /** Resends a question that failed before any output, without the refused part. Undefined if the error is not about a part that can be left out, or the answer has taken too many requests. */
  sendAgain({ request, draft, omission, stop }: SentQuestion, error: GatewayError): Promise<OpenStream> | undefined {
    const isStreamed = !omission.features.includes('stream');
    const hasEarlierFiles = !omission.features.includes('files') && hasFiles(draft.earlierFiles);
    const hasAudio = draft.sound?.wav !== undefined;
    const refused = refusedPart(error, request, { isStreamed, hasEarlierFiles, hasAudio });
    if (!refused || draft.requestCount >= MAX_REQUESTS) return undefined;
    const { part, isBecauseOfSize = false } = refused;
    const logFields = { model: request.model, part, code: error.code };
    this.#context.log.info(logFields, 'A model rejected a feature of a request; the request is sent without it.');
    const keptFiles =
      part === 'files' ? leaveOut(draft.pastTurns, isBecauseOfSize ? 'too-large' : 'refused') : draft.earlierFiles;
    const earlierFiles = part === 'audio' ? leaveOutAudio(keptFiles) : keptFiles;
    return this.#open({ ...draft, earlierFiles }, omit(omission, refused), stop);
  }

  learn({ request, omission }: SentQuestion): void {
    this.#refusedFeatures.learn(request.model, omission);
  }

  /** Opens the stream. If the model definitely refuses a part before the first word, one more request is sent without it. */
  async #open(initialDraft: Draft, omission: Omission, stop: AbortController): Promise<OpenStream> {
    const finalDraft = omission.features.includes('audio')
      ? await this.#transcribeSound(initialDraft, stop)
      : initialDraft;
    const draft = { ...finalDraft, requestCount: finalDraft.requestCount + 1 };
    const request = buildTextRequest(draft, omission.features);
    const sentQuestion = { request, draft, omission, stop };
    try {
      const options = { signal: stop.signal, user: draft.user, isBuffered: omission.features.includes('stream') };
      const events = this.#context.gateway.responses.stream(request, options);
      // It shows that the gateway has accepted the question.
      const first = await events.next();
      const id = first.done || first.value.type !== 'created' ? undefined : first.value.id;
      return { ...sentQuestion, id, events: first.done ? events : withFirst(first.value, events) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const reopened = this.sendAgain(sentQuestion, error);
      if (reopened !== undefined) return reopened;
      if (error.status === TOO_LARGE_STATUS) this.#requestCounts.set(draft.request, draft.requestCount);
      throw error;
    }
  }

  async #transcribeSound(draft: Draft, { signal }: AbortController): Promise<Draft> {
    const { sound, request } = draft;
    if (!sound?.wav) return draft;
    const { name } = sound;
    const transcript = await transcribe(sound.wav, { name, model: request.model, signal }, this.#context);
    return { ...draft, sound: { name, transcript } };
  }

  async #earlierFiles(
    turns: readonly Turn[],
    { materials, sound }: { materials: Materials; sound: Draft['sound'] },
    omittedFeatures: readonly RefusableFeature[],
    { requesterId: memberId }: Asker,
  ): Promise<EarlierFile[][]> {
    if (omittedFeatures.includes('files')) return leaveOut(turns, 'refused');
    const ownParts = questionParts(materials);
    const { wav } = sound ?? {};
    const bytes = ownParts.reduce((sum, part) => sum + sizeOf(part), wav?.length ?? 0);
    const used = { files: ownParts.length + (wav ? 1 : 0), bytes };
    const timeLimitMs = this.#context.settings.maxWaitMs.text;
    const context = { memberId, timeLimitMs, used, supportsAudio: !omittedFeatures.includes('audio') };
    return gatherEarlierFiles(turns, context, this.#context);
  }
}

const hasFiles = (earlierFiles: Draft['earlierFiles']): boolean =>
  earlierFiles.some((files) => sentParts(files).length > 0);

/** Whether the member is notified that a feature is left out: if they asked for it, or to explain why an answer arrives all at once. */
function isRequested(
  part: RefusableFeature,
  { request: { format, web, effort }, earlierFiles, sound }: Draft,
): boolean {
  const requested = {
    audio: sound !== undefined,
    stream: true,
    format: format === 'json',
    tools: web === true,
    reasoning: effort !== undefined,
    files: earlierFiles.some((files) => files.length > 0),
  };
  return requested[part];
}

interface Omission {
  features: readonly RefusableFeature[];
  /** The features whose omission the member is notified of. */
  announced: readonly RefusableFeature[];
  /** Features that the gateway's error named. They are known to be unsupported once a request without them succeeds. */
  namedInError: readonly RefusableFeature[];
  /** Features that were left out although the gateway's error named none. */
  guessed: readonly RefusableFeature[];
  /** The feature that was left out last. It is also known to be unsupported once that request succeeds. */
  lastOmitted?: RefusableFeature | undefined;
}

type KnownRefusals = Pick<Omission, 'features' | 'guessed'>;

const omit = (
  omission: Omission,
  { part, isNamed, isBecauseOfSize = false }: { part: RefusableFeature; isNamed: boolean; isBecauseOfSize?: boolean },
): Omission => ({
  features: [...omission.features, part],
  announced: [...omission.announced, part],
  guessed: isNamed || isBecauseOfSize ? omission.guessed : [...omission.guessed, part],
  namedInError: isNamed ? [...omission.namedInError, part] : omission.namedInError,
  lastOmitted: isBecauseOfSize ? omission.lastOmitted : part,
});

/** Refusals are forgotten after this time, because the gateway may switch a model to another upstream provider. */
const MEMORY_MS = 6 * 3_600_000;
/** Members can name any model, so the oldest are dropped. */
const MAX_MODELS = 500;

/** Remembers for six hours which features each model refused, and which of them are guesses, so they are not sent again. */
class RefusedFeatures {
  readonly #clock: SteadyClock;
  readonly #knownByModel = new RecentMap<string, KnownRefusals & { until: number }>(MAX_MODELS);

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  get(model: string): KnownRefusals {
    const entry = this.#knownByModel.get(model);
    return entry && this.#clock.now() < entry.until ? entry : { features: [], guessed: [] };
  }

  learn(model: string, omission: Omission): void {
    const { namedInError, lastOmitted } = omission;
    const known = this.get(model);
    const newFeatures = lastOmitted === undefined ? namedInError : [...namedInError, lastOmitted];
    if (newFeatures.length === 0) return;
    const features = [...new Set([...known.features, ...newFeatures])];
    const guesses = new Set([...known.guessed, ...omission.guessed]).difference(new Set(namedInError));
    const guessed = features.filter((part) => guesses.has(part));
    this.#knownByModel.set(model, { features, guessed, until: this.#clock.now() + MEMORY_MS });
  }
}
