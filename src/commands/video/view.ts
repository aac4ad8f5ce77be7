import { escapeText, inCode } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, MediumFacts } from '../../messages/kind-view.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import type { VideoRequest, videoSpecs } from './request.ts';

const MAX_MODEL_LENGTH = 200;
const MAX_FACT_LENGTH = 60;

export const videoView: KindView<keyof typeof videoSpecs> = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const shown = (value: string | number = '', max = MAX_FACT_LENGTH): string => escapeText(String(value), max);
    const [sized, seconds, moded] = [shown(size), shown(duration), shown(mode)];
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: shown(model, MAX_MODEL_LENGTH) })]),
      ...(sized === '' ? [] : [say('video.facts.size', { size: sized })]),
      ...(seconds === '' ? [] : [say('video.facts.seconds', { seconds })]),
      ...(moded === '' ? [] : [say('video.facts.mode', { mode: moded })]),
    ];
    const options = (notSent ?? []).map((option) => inCode(option)).join(', ');
    return [
      ...(facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`]),
      ...(options === '' ? [] : [`-# ${say('video.facts.notSent', { options })}`]),
    ];
  },

  notes({ kind, request }, seen, say) {
    const requested = requestedParameters(request);
    const all = seen.flatMap((facts) =>
      ignoredParameterNotes(ignoredParameters(requested, facts), facts, kind === 'image-to-video', say),
    );
    // Several videos of one request share their notes.
    return [...new Set(all)];
  },

  moreButtons: ({ id }, _offering, say) => againButtons(id, say, { startsRow: true }),
};

/** A requested parameter of a video, and its place in the request. */
export type RequestedParameter = Place & (RequestedSize | { parameter: 'duration'; seconds: number });

interface Place {
  /** The value that was sent. */
  asked: string | number;
  at: 'top' | 'metadata';
}

type RequestedSize =
  | { parameter: 'size'; width: number; height: number }
  | { parameter: 'aspect_ratio'; aspect: number }
  | { parameter: 'resolution'; lines: number };

/** The effective value of each parameter: the one at the top level, else the one in the metadata. */
export function requestedParameters({ metadata = {}, extra = {}, ...request }: VideoRequest): RequestedParameter[] {
  const top = {
    size: request.size,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    duration: request.duration ?? extra.seconds,
  };
  return PARAMETERS.flatMap((parameter): RequestedParameter[] => {
    const at = isGiven(top[parameter]) ? 'top' : 'metadata';
    const asked = at === 'top' ? top[parameter] : metadata[parameter];
    const value = isGiven(asked) ? parsed(parameter, String(asked)) : undefined;
    return isGiven(asked) && value ? [{ ...value, asked, at }] : [];
  });
}

const PARAMETERS = ['size', 'aspect_ratio', 'resolution', 'duration'] as const;

const isGiven = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const FORMS = {
  size: /^(\d+)x(\d+)$/i,
  aspect_ratio: /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/,
  resolution: /^(\d+)p$/i,
  duration: /^(\d+(?:\.\d+)?)$/,
} as const;

/** Values in any other form are specific to the model and cannot be checked. */
function parsed(parameter: (typeof PARAMETERS)[number], text: string) {
  const [one = 0, two = 0] = (FORMS[parameter].exec(text) ?? []).slice(1).map(Number);
  if (one <= 0) return undefined;
  switch (parameter) {
    case 'size':
      return two > 0 ? { parameter, width: one, height: two } : undefined;
    case 'aspect_ratio':
      return two > 0 ? { parameter, aspect: one / two } : undefined;
    case 'resolution':
      return { parameter, lines: one };
    case 'duration':
      return { parameter, seconds: one };
  }
}

/** Tolerances: encoders round sides to multiples of sixteen, and lengths to whole frames. */
const PIXELS = 16;
const ASPECT = 0.05;
const SECONDS = 0.5;
const SHARE = 0.1;

/** The parameters that had no effect, as far as the video shows. */
export function ignoredParameters(
  requested: readonly RequestedParameter[],
  { width, height, seconds }: MediumFacts,
): RequestedParameter[] {
  return requested.filter((value) => {
    if (value.parameter === 'duration') {
      return seconds !== undefined && Math.abs(seconds - value.seconds) > Math.max(SECONDS, value.seconds * SHARE);
    }
    if (!width || !height) return false;
    switch (value.parameter) {
      case 'size':
        return Math.abs(width - value.width) > PIXELS || Math.abs(height - value.height) > PIXELS;
      case 'aspect_ratio':
        return Math.abs(width / height / value.aspect - 1) > ASPECT;
      case 'resolution':
        return Math.abs(Math.min(width, height) - value.lines) > PIXELS;
    }
    return false;
  });
}

const MAX_QUESTION_LENGTH = 40;

const OPTIONS = { size: 'size', aspect_ratio: 'size', resolution: 'size', duration: 'duration' } as const;

/** Names the parameters that had no effect, and where else they may belong (specification, part 7). */
export function ignoredParameterNotes(
  ignored: readonly RequestedParameter[],
  seen: MediumFacts,
  isVendor: boolean,
  say: Say,
): string[] {
  return ignored.map((value) => {
    const { parameter, asked, at } = value;
    const isDuration = parameter === 'duration';
    const actual = isDuration ? String(Math.round((seen.seconds ?? 0) * 10) / 10) : `${seen.width}x${seen.height}`;
    const facts = { actual, asked: escapeText(String(asked), MAX_QUESTION_LENGTH), parameter: inCode(parameter) };
    const what = isDuration ? say('video.ignored.duration', facts) : say('video.ignored.size', facts);
    return `-# ${what} ${advice()}`;

    function advice(): string {
      if (isVendor) return say('video.ignored.elsewhere');
      if (at === 'metadata') return say('video.ignored.atTop', { option: OPTIONS[parameter] });
      const extra = inCode(JSON.stringify({ [parameter]: asked }));
      return parameter === 'size'
        ? say('video.ignored.inMetadataOrOther', { extra })
        : say('video.ignored.inMetadata', { extra });
    }
  });
}
