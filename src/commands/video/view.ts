import { escapeText, inlineCode } from '../../discord/markdown.ts';
import { keysOf } from '../../lib/entries.ts';
import { durationText, listText } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, MediumFacts } from '../../messages/kind-view.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import type { VideoRequest, videoSpecs } from './request.ts';

const MAX_MODEL_LENGTH = 200;
const MAX_FACT_LENGTH = 60;

export const videoView: KindView<keyof typeof videoSpecs> = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const [sizeText = '', modeText = ''] = [size, mode].map((text = '') => escapeText(text, MAX_FACT_LENGTH));
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: escapeText(model, MAX_MODEL_LENGTH) })]),
      ...(sizeText === '' ? [] : [say('video.facts.size', { size: sizeText })]),
      ...(duration === undefined ? [] : [durationText(Number(duration), say)]),
      ...(modeText === '' ? [] : [say('video.facts.mode', { mode: modeText })]),
    ];
    const options = listText((notSent ?? []).map(inlineCode), say);
    return [
      ...(facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`]),
      ...(options === '' ? [] : [`-# ${say('video.facts.notSent', { options })}`]),
    ];
  },

  notes({ kind, request }, mediaFacts, say) {
    const requested = requestedParameters(request);
    const allNotes = mediaFacts.flatMap((facts) =>
      ignoredParameterNotes(ignoredParameters(requested, facts), facts, kind === 'image-to-video', say),
    );
    // Several videos of one request share their notes.
    return [...new Set(allNotes)];
  },

  moreButtons: ({ id }, _offering, say) => againButtons(id, say, { startsRow: true }),
};

export interface RequestedParameter {
  parameter: keyof typeof PARAMETERS;
  /** The value that was sent, and the numbers in it. */
  requestedValue: string | number;
  numbers: readonly number[];
  location: 'top' | 'metadata';
}

interface Parameter {
  /** The option that sets it. */
  option: 'size' | 'duration';
  /** Values in any other form are specific to the model and cannot be checked. */
  pattern: RegExp;
  /** Whether the video shows that the numbers had no effect. What is unknown of it is not a number. */
  isIgnored(numbers: readonly number[], video: Record<'width' | 'height' | 'seconds', number>): boolean;
}

/** Tolerances: encoders round sides to multiples of sixteen, and lengths to whole frames. */
const PIXEL_TOLERANCE = 16;
const ASPECT_TOLERANCE = 0.05;
const SECONDS_TOLERANCE = 0.5;
const DURATION_TOLERANCE_SHARE = 0.1;

const PARAMETERS = {
  size: {
    option: 'size',
    pattern: /^(\d+)x(\d+)$/i,
    isIgnored: ([width = 0, height = 0], video) =>
      Math.abs(video.width - width) > PIXEL_TOLERANCE || Math.abs(video.height - height) > PIXEL_TOLERANCE,
  },
  aspect_ratio: {
    option: 'size',
    pattern: /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/,
    isIgnored: ([width = 0, height = 0], video) =>
      Math.abs(video.width / video.height / (width / height) - 1) > ASPECT_TOLERANCE,
  },
  resolution: {
    option: 'size',
    pattern: /^(\d+)p$/i,
    isIgnored: ([lines = 0], { width, height }) => Math.abs(Math.min(width, height) - lines) > PIXEL_TOLERANCE,
  },
  duration: {
    option: 'duration',
    pattern: /^(\d+(?:\.\d+)?)$/,
    isIgnored: ([seconds = 0], video) =>
      Math.abs(video.seconds - seconds) > Math.max(SECONDS_TOLERANCE, seconds * DURATION_TOLERANCE_SHARE),
  },
} as const satisfies Record<string, Parameter>;

/** The effective value of each parameter: the one at the top level, else the one in the metadata. */
export function requestedParameters({ metadata = {}, extra = {}, ...request }: VideoRequest): RequestedParameter[] {
  const topLevel = {
    size: request.size,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    duration: request.duration ?? extra.seconds,
  };
  return keysOf(PARAMETERS).flatMap((parameter): RequestedParameter[] => {
    const location = isGiven(topLevel[parameter]) ? 'top' : 'metadata';
    const requestedValue = location === 'top' ? topLevel[parameter] : metadata[parameter];
    if (!isGiven(requestedValue)) return [];
    const numbers = PARAMETERS[parameter].pattern.exec(String(requestedValue))?.slice(1).map(Number);
    return numbers?.every((number) => number > 0) ? [{ parameter, requestedValue, numbers, location }] : [];
  });
}

const isGiven = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** The parameters that had no effect, as far as the video shows. */
export function ignoredParameters(
  requested: readonly RequestedParameter[],
  { width, height, seconds = Number.NaN }: MediumFacts,
): RequestedParameter[] {
  const size = width && height ? { width, height } : { width: Number.NaN, height: Number.NaN };
  return requested.filter(({ parameter, numbers }) => PARAMETERS[parameter].isIgnored(numbers, { ...size, seconds }));
}

const MAX_VALUE_LENGTH = 40;

/** Names the parameters that had no effect, and where else they may belong (specification, part 7). */
export function ignoredParameterNotes(
  ignored: readonly RequestedParameter[],
  mediumFacts: MediumFacts,
  isVendor: boolean,
  say: Say,
): string[] {
  return ignored.map(({ parameter, requestedValue, location }) => {
    const { width, height, seconds = 0 } = mediumFacts;
    const code = inlineCode(parameter);
    const asked = escapeText(String(requestedValue), MAX_VALUE_LENGTH);
    const durations = { askedDuration: Number(requestedValue), duration: Math.round(seconds * 10) / 10 };
    const note =
      parameter === 'duration'
        ? say('video.ignored.duration', { ...durations, parameter: code })
        : say('video.ignored.size', { asked, actual: `${width}x${height}`, parameter: code });
    return `-# ${note} ${advice()}`;

    function advice(): string {
      if (isVendor) return say('video.ignored.elsewhere');
      if (location === 'metadata') return say('video.ignored.atTop', { option: PARAMETERS[parameter].option });
      const extra = inlineCode(JSON.stringify({ [parameter]: requestedValue }));
      return parameter === 'size'
        ? say('video.ignored.inMetadataOrOther', { extra })
        : say('video.ignored.inMetadata', { extra });
    }
  });
}
