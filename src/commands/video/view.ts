import { escapeText, inlineCode } from '../../discord/markdown.ts';
import { listText } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, MediumFacts } from '../../messages/kind-view.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import type { VideoRequest, videoSpecs } from './request.ts';

const MAX_MODEL_LENGTH = 200;
const MAX_FACT_LENGTH = 60;

export const videoView: KindView<keyof typeof videoSpecs> = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const displayText = (value: string | number = '', max = MAX_FACT_LENGTH): string => escapeText(String(value), max);
    const [sizeText, seconds, modeText] = [displayText(size), displayText(duration), displayText(mode)];
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: displayText(model, MAX_MODEL_LENGTH) })]),
      ...(sizeText === '' ? [] : [say('video.facts.size', { size: sizeText })]),
      ...(seconds === '' ? [] : [say('video.facts.seconds', { seconds })]),
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

/** A requested parameter of a video, and its place in the request. */
export type RequestedParameter = ParameterValue & (RequestedSize | { parameter: 'duration'; seconds: number });

interface ParameterValue {
  /** The value that was sent. */
  requestedValue: string | number;
  location: 'top' | 'metadata';
}

type RequestedSize =
  | { parameter: 'size'; width: number; height: number }
  | { parameter: 'aspect_ratio'; aspect: number }
  | { parameter: 'resolution'; lines: number };

/** The effective value of each parameter: the one at the top level, else the one in the metadata. */
export function requestedParameters({ metadata = {}, extra = {}, ...request }: VideoRequest): RequestedParameter[] {
  const topLevel = {
    size: request.size,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    duration: request.duration ?? extra.seconds,
  };
  return PARAMETERS.flatMap((parameter): RequestedParameter[] => {
    const location = isGiven(topLevel[parameter]) ? 'top' : 'metadata';
    const requestedValue = location === 'top' ? topLevel[parameter] : metadata[parameter];
    const value = isGiven(requestedValue) ? parseParameter(parameter, String(requestedValue)) : undefined;
    return isGiven(requestedValue) && value ? [{ ...value, requestedValue, location }] : [];
  });
}

const PARAMETERS = ['size', 'aspect_ratio', 'resolution', 'duration'] as const;

const isGiven = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const PATTERNS = {
  size: /^(\d+)x(\d+)$/i,
  aspect_ratio: /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/,
  resolution: /^(\d+)p$/i,
  duration: /^(\d+(?:\.\d+)?)$/,
} as const;

/** Values in any other form are specific to the model and cannot be checked. */
function parseParameter(parameter: (typeof PARAMETERS)[number], text: string) {
  const [first = 0, second = 0] = (PATTERNS[parameter].exec(text) ?? []).slice(1).map(Number);
  if (first <= 0) return undefined;
  switch (parameter) {
    case 'size':
      return second > 0 ? { parameter, width: first, height: second } : undefined;
    case 'aspect_ratio':
      return second > 0 ? { parameter, aspect: first / second } : undefined;
    case 'resolution':
      return { parameter, lines: first };
    case 'duration':
      return { parameter, seconds: first };
  }
}

/** Tolerances: encoders round sides to multiples of sixteen, and lengths to whole frames. */
const PIXEL_TOLERANCE = 16;
const ASPECT_TOLERANCE = 0.05;
const SECONDS_TOLERANCE = 0.5;
const DURATION_TOLERANCE_SHARE = 0.1;

/** The parameters that had no effect, as far as the video shows. */
export function ignoredParameters(
  requested: readonly RequestedParameter[],
  { width, height, seconds }: MediumFacts,
): RequestedParameter[] {
  return requested.filter((value) => {
    if (value.parameter === 'duration') {
      return (
        seconds !== undefined &&
        Math.abs(seconds - value.seconds) > Math.max(SECONDS_TOLERANCE, value.seconds * DURATION_TOLERANCE_SHARE)
      );
    }
    if (!width || !height) return false;
    switch (value.parameter) {
      case 'size':
        return Math.abs(width - value.width) > PIXEL_TOLERANCE || Math.abs(height - value.height) > PIXEL_TOLERANCE;
      case 'aspect_ratio':
        return Math.abs(width / height / value.aspect - 1) > ASPECT_TOLERANCE;
      case 'resolution':
        return Math.abs(Math.min(width, height) - value.lines) > PIXEL_TOLERANCE;
    }
    return false;
  });
}

const MAX_VALUE_LENGTH = 40;

const OPTION_NAMES = { size: 'size', aspect_ratio: 'size', resolution: 'size', duration: 'duration' } as const;

/** Names the parameters that had no effect, and where else they may belong (specification, part 7). */
export function ignoredParameterNotes(
  ignored: readonly RequestedParameter[],
  mediumFacts: MediumFacts,
  isVendor: boolean,
  say: Say,
): string[] {
  return ignored.map((value) => {
    const { parameter, requestedValue, location } = value;
    const isDuration = parameter === 'duration';
    const actual = isDuration
      ? String(Math.round((mediumFacts.seconds ?? 0) * 10) / 10)
      : `${mediumFacts.width}x${mediumFacts.height}`;
    const facts = {
      actual,
      asked: escapeText(String(requestedValue), MAX_VALUE_LENGTH),
      parameter: inlineCode(parameter),
    };
    const note = isDuration ? say('video.ignored.duration', facts) : say('video.ignored.size', facts);
    return `-# ${note} ${advice()}`;

    function advice(): string {
      if (isVendor) return say('video.ignored.elsewhere');
      if (location === 'metadata') return say('video.ignored.atTop', { option: OPTION_NAMES[parameter] });
      const extra = inlineCode(JSON.stringify({ [parameter]: requestedValue }));
      return parameter === 'size'
        ? say('video.ignored.inMetadataOrOther', { extra })
        : say('video.ignored.inMetadata', { extra });
    }
  });
}
